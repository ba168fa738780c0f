import { Stack } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { SECTIONS } from './pages.js';
import classes from './shell.module.css';

export function Navigation() {
  const [location] = useLocation();
  return (
    <Stack component="nav" gap={2} aria-label="Pages">
      {SECTIONS.map(({ path, label, icon: Icon }) => {
        const isCurrent = location === path || location.startsWith(`${path}/`);
        return (
          <Link key={path} href={path} className={classes.link} aria-current={isCurrent ? 'page' : undefined}>
            <Icon aria-hidden />
            {label}
          </Link>
        );
      })}
    </Stack>
  );
}
