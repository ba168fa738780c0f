// CommonJS add-ons of Nest require() its ES modules. Jest refuses that while the same module is still being linked for a
// test, so the modules are evaluated before any test is loaded.
import 'reflect-metadata';
import '@nestjs/common';
import '@nestjs/core';
import '@nestjs/bullmq';
