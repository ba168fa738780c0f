import { Group, Kbd, Modal, Stack, Text, Title } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';

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
      [['Home', 'End'], 'To the first or the last one that is loaded'],
      [['Enter'], 'Open the capture'],
      [['c', 'Space'], 'Select it for a comparison'],
      [['Esc'], 'Clear the selection'],
    ],
  ],
  [
    'One capture',
    [
      [['←', '→'], 'To the newer or the older one'],
      [['+', '−'], 'Zoom the picture that has the focus'],
      [['0', '9', '1'], 'Fit its width, fit all of it, or pixel by pixel'],
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
