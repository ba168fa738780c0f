import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Condition {
  readonly index: number;
  readonly value: number;
  readonly valueTwo?: number;
  readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ';
}

interface Rule {
  readonly names: readonly string[];
  readonly action: string;
  readonly errnoRet?: number;
  readonly args?: readonly Condition[];
  readonly comment: string;
}

interface Profile {
  readonly defaultAction: string;
  readonly defaultErrnoRet: number;
  readonly archMap: readonly {
    readonly architecture: string;
    readonly subArchitectures: readonly string[];
  }[];
  readonly syscalls: readonly Rule[];
}

const PROFILE = JSON.parse(readFileSync('docker/chromium-seccomp.json', 'utf8')) as Profile;
const [GENERAL, ...SPECIAL] = PROFILE.syscalls;

const NEW = {
  user: 0x1000_0000,
  pid: 0x2000_0000,
  net: 0x4000_0000,
  mount: 0x2_0000,
  cgroup: 0x200_0000,
  uts: 0x400_0000,
  ipc: 0x800_0000,
  time: 0x80,
} as const;
const SIGCHLD = 17;

function isMet({ index, value, valueTwo = 0, op }: Condition, args: readonly number[]): boolean {
  const arg = BigInt(args[index] ?? 0);
  return op === 'SCMP_CMP_EQ' ? arg === BigInt(value) : (arg & BigInt(value)) === BigInt(valueTwo);
}

/** Whether a call passes, as libseccomp reads the profile: by any rule that matches, else by the default. */
function allows(name: string, ...args: number[]): boolean {
  const rules = PROFILE.syscalls.filter(
    (rule) => rule.names.includes(name) && (rule.args ?? []).every((condition) => isMet(condition, args)),
  );
  return rules.some(({ action }) => action === 'SCMP_ACT_ALLOW');
}

describe('docker/chromium-seccomp.json', () => {
  it('forbids what it does not name, and is for 64-bit machines only', () => {
    expect(Object.keys(PROFILE).sort()).toEqual(['archMap', 'defaultAction', 'defaultErrnoRet', 'syscalls']);
    expect(PROFILE).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1 });
    // The 32-bit architectures are left out: their calls have other numbers, and flaws of their own.
    expect(PROFILE.archMap).toEqual([
      { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
      { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
    ]);
  });

  it('has only fields that Docker reads, and a reason for every rule', () => {
    const keys = ['action', 'args', 'comment', 'errnoRet', 'names'];
    for (const rule of PROFILE.syscalls) {
      expect(Object.keys(rule).filter((key) => !keys.includes(key))).toEqual([]);
      expect(rule.comment).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('allows the calls that any program needs, each listed once and in order', () => {
    const names = GENERAL?.names ?? [];
    expect(names).toEqual([...new Set(names)].sort());
    expect(GENERAL?.args).toBeUndefined();
    const needed = ['execve', 'futex', 'mmap', 'openat', 'prctl', 'read', 'seccomp', 'wait4', 'write'];
    expect(needed.filter((name) => !allows(name))).toEqual([]);
  });

  it('adds only the rules that are listed here', () => {
    expect(
      SPECIAL.map(({ names, action, args = [] }) => [names, action, args.map(({ value }) => value)]),
    ).toEqual([
      [['personality'], 'SCMP_ACT_ALLOW', [0]],
      [['personality'], 'SCMP_ACT_ALLOW', [0xffff_ffff]],
      [['socket'], 'SCMP_ACT_ALLOW', [1]],
      [['socket'], 'SCMP_ACT_ALLOW', [2]],
      [['socket'], 'SCMP_ACT_ALLOW', [10]],
      [['socket'], 'SCMP_ACT_ALLOW', [16, 0]],
      [['clone', 'unshare'], 'SCMP_ACT_ALLOW', [NEW.mount + NEW.cgroup + NEW.uts + NEW.ipc + NEW.time]],
      [['clone3'], 'SCMP_ACT_ERRNO', []],
      [['chroot'], 'SCMP_ACT_ALLOW', []],
    ]);
    // On ENOSYS the C library calls clone instead; EPERM would be final.
    expect(SPECIAL.find(({ names }) => names.includes('clone3'))?.errnoRet).toBe(38);
  });

  it("allows the calls of Chromium's sandbox", () => {
    expect(allows('unshare', NEW.user)).toBe(true);
    expect(allows('clone', NEW.user | NEW.pid | NEW.net | SIGCHLD)).toBe(true);
    expect(allows('chroot')).toBe(true);
  });

  it.each(['mount', 'cgroup', 'uts', 'ipc', 'time'] as const)(
    'allows no new namespace of kind %s',
    (kind) => {
      for (const call of ['clone', 'unshare']) {
        expect(allows(call, NEW[kind])).toBe(false);
        expect(allows(call, NEW.user + NEW[kind])).toBe(false);
      }
    },
  );

  it.each([
    ['AF_UNIX', [1, 1, 0], true],
    ['AF_INET', [2, 1, 6], true],
    ['AF_INET6', [10, 2, 17], true],
    ['NETLINK_ROUTE', [16, 3, 0], true],
    ['NETLINK_NETFILTER', [16, 3, 12], false],
    ['NETLINK_AUDIT', [16, 3, 9], false],
    ['AF_PACKET', [17, 3, 0], false],
    ['AF_ALG', [38, 5, 0], false],
    ['AF_VSOCK', [40, 1, 0], false],
    ['AF_XDP', [44, 3, 0], false],
  ])('decides on a socket of %s', (_, args, isAllowed) => {
    expect(allows('socket', ...args)).toBe(isAllowed);
  });

  it.each([
    ['mounts', 'mount umount2 mount_setattr move_mount open_tree fsopen fsmount fsconfig fspick pivot_root'],
    ['other namespaces', 'setns'],
    ['other processes', 'ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd'],
    [
      'the kernel',
      'bpf kexec_load kexec_file_load init_module finit_module delete_module perf_event_open syslog',
    ],
    ['keys', 'add_key request_key keyctl'],
    ['what exploits are made of', 'userfaultfd io_uring_setup io_uring_enter io_uring_register modify_ldt'],
    ['files by handle', 'open_by_handle_at fanotify_init'],
    ['hardware', 'iopl ioperm'],
    [
      'the machine',
      'reboot swapon swapoff acct settimeofday clock_settime sethostname setdomainname quotactl vhangup',
    ],
    ['memory policies', 'mbind set_mempolicy get_mempolicy migrate_pages move_pages'],
  ])('allows no call on %s', (_, calls) => {
    expect(calls.split(' ').filter((name) => allows(name))).toEqual([]);
  });
});
