import { Group, Kbd, Modal, Stack, Text, Title } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { useLocation } from 'wouter';
import { focusSearchField } from '../ui/search-field.js';

/** Shortcuts of every page: `/` searches, `n` starts a capture. They do nothing in a field. */
export function Shortcuts() {
  const [, navigate] = useLocation();
  useHotkeys([
    [
      '/',
      () => {
        if (!focusSearchField()) navigate('/captures?find');
      },
    ],
    ['n', () => navigate('/capture')],
  ]);
  return null;
}

type Shortcut = readonly [keys: readonly string[], meaning: string];

const GROUPS: readonly (readonly [title: string, shortcuts: readonly Shortcut[]])[] = [
  [
    'Everywhere',
    [
      [['/'], 'Search the captures'],
      [['n'], 'New capture'],
      [['?'], 'Show this help'],
    ],
  ],
  [
    'Captures',
    [
      [['←', '↑', '↓', '→'], 'Move from capture to capture'],
      [['Home', 'End'], 'Go to the first or the last capture in the list'],
      [['Enter'], 'Open the capture'],
      [['c', 'Space'], 'Select the capture to compare it'],
      [['Esc'], 'Clear the selection'],
    ],
  ],
  [
    'One capture',
    [
      [['←', '→'], 'Show the newer or the older capture'],
      [['+', '−'], 'Zoom the picture in or out'],
      [['0', '9', '1'], 'Fit the width, fit the whole picture, or show its real size'],
    ],
  ],
];

/** The shortcuts of the console; `?` opens it. */
export function ShortcutHelp() {
  const [isOpen, { toggle, close }] = useDisclosure();
  useHotkeys([
    ['shift+?', toggle],
    ['?', toggle],
  ]);
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title="Shortcuts"
      closeButtonProps={{ 'aria-label': 'Close the help' }}
    >
      <Stack>
        {GROUPS.map(([title, shortcuts]) => (
          <section key={title}>
            <Title order={3} mb={6}>
              {title}
            </Title>
            <Stack gap={6}>
              {shortcuts.map(([keys, meaning]) => (
                <Group key={meaning} justify="space-between" wrap="nowrap">
                  <Text>{meaning}</Text>
                  <Group gap={4} wrap="nowrap">
                    {keys.map((key) => (
                      <Kbd key={key}>{key}</Kbd>
                    ))}
                  </Group>
                </Group>
              ))}
            </Stack>
          </section>
        ))}
      </Stack>
    </Modal>
  );
}
