import { Menu, Text, UnstyledButton, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { CaretSortIcon, CheckIcon, ExitIcon, PlusIcon, ReaderIcon } from '@radix-ui/react-icons';
import { useLocation } from 'wouter';
import { DOCS_URL } from '../api/client.js';
import { useSession } from '../session/session-context.js';
import classes from './account-menu.module.css';

const SCHEMES: Readonly<Record<MantineColorScheme, string>> = {
  auto: 'Same as the system',
  light: 'Light',
  dark: 'Dark',
};

/** The account in use, the others of the session, the colour scheme and the log-out. */
export function AccountMenu() {
  const { current } = useSession();
  if (!current) return null;
  return (
    <Menu width={220} position="top-start" shadow="md">
      <Menu.Target>
        <UnstyledButton
          className={classes.target}
          aria-label={`Account ${current.account.name}, key ${current.name}`}
        >
          <span className={classes.names}>
            <Text truncate fw={500}>
              {current.account.name}
            </Text>
            <Text truncate size="xs" c="dimmed">
              key {current.name}
            </Text>
          </span>
          <CaretSortIcon aria-hidden />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <AccountItems />
        <Menu.Divider />
        <SchemeItems />
        <Menu.Divider />
        <LastItems />
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountItems() {
  const { current, keys, switchTo } = useSession();
  const [, navigate] = useLocation();
  return (
    <>
      <Menu.Label>Accounts</Menu.Label>
      {keys.map(({ id, name, account }) => (
        <Menu.Item
          key={id}
          onClick={() => switchTo(id)}
          rightSection={id === current?.id ? <CheckIcon /> : null}
        >
          {account.name} · {name}
        </Menu.Item>
      ))}
      <Menu.Item leftSection={<PlusIcon />} onClick={() => navigate('/log-in')}>
        Add another key
      </Menu.Item>
    </>
  );
}

function SchemeItems() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <>
      <Menu.Label>Colours</Menu.Label>
      {Object.entries(SCHEMES).map(([scheme, label]) => (
        <Menu.Item
          key={scheme}
          onClick={() => setColorScheme(scheme as MantineColorScheme)}
          rightSection={scheme === colorScheme ? <CheckIcon /> : null}
        >
          {label}
        </Menu.Item>
      ))}
    </>
  );
}

function LastItems() {
  const { logOut } = useSession();
  return (
    <>
      <Menu.Item component="a" href={DOCS_URL} target="_blank" rel="noreferrer" leftSection={<ReaderIcon />}>
        API reference
      </Menu.Item>
      <Menu.Item leftSection={<ExitIcon />} onClick={() => void logOut()}>
        Log out
      </Menu.Item>
    </>
  );
}
