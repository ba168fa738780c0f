import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { loadEnv } from '@app/config';
import { boundLine } from './bounded-line.js';
import { loggerOptions } from './logger-options.js';

const long = 'x'.repeat(5_000_000);

describe(boundLine.name, () => {
  it('leaves a line of usual length unchanged', () => {
    const line = `${JSON.stringify({ msg: 'x'.repeat(30_000) })}\n`;
    expect(boundLine(line)).toBe(line);
  });

  it('cuts every text of a longer line', () => {
    const error = { message: long, stack: long, cause: { message: long } };
    const line = boundLine(`${JSON.stringify({ level: 'warn', job_id: '1', err: error, msg: 'failed' })}\n`);
    expect(line.length).toBeLessThan(10_000);
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', job_id: '1', msg: 'failed' });
  });

  it('keeps the plain values of a line with too many texts', () => {
    const many = Array.from({ length: 1_000 }, () => 'x'.repeat(1_000));
    const line = boundLine(`${JSON.stringify({ level: 'warn', many, msg: 'failed' })}\n`);
    expect(JSON.parse(line)).toEqual({ level: 'warn', msg: 'failed', cut: true });
  });

  it('drops long names, and cuts texts that JSON makes longer', () => {
    const controls = Object.fromEntries([...'abcdefgh'].map((name) => [name, '\x01'.repeat(5_000)]));
    const line = boundLine(`${JSON.stringify({ level: 'warn', [long]: 1, ...controls, msg: 'failed' })}\n`);
    expect(line.length).toBeLessThanOrEqual(32_768);
    const start = `${'\x01'.repeat(300)}…`;
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', a: start, h: start, msg: 'failed', cut: true });
    expect(line).not.toContain('xxx');
  });
});

describe(loggerOptions.name, () => {
  it('limits every line, whatever is logged', () => {
    const lines: string[] = [];
    const env = loadEnv({ LOG_FORMAT: 'json', DATABASE_URL: 'postgres://x/x' });
    const logger = pino(loggerOptions(env, 'test', []), { write: (line: string) => void lines.push(line) });
    logger.warn({ err: new Error(long, { cause: new Error(long) }), other: long }, long);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.length).toBeLessThan(32_768);
  });

  it('redacts the named properties of what is logged', () => {
    const lines: string[] = [];
    const env = loadEnv({ LOG_FORMAT: 'json', DATABASE_URL: 'postgres://x/x' });
    const logger = pino(loggerOptions(env, 'test', ['password']), {
      write: (line: string) => void lines.push(line),
    });
    logger.warn({ options: { password: 'hunter2', format: 'png' } });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ options: { password: '[redacted]', format: 'png' } });
  });
});
