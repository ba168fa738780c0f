import {
  ActivityLogIcon,
  BarChartIcon,
  ClipboardIcon,
  IdCardIcon,
  CameraIcon,
  DesktopIcon,
  EyeOpenIcon,
  GlobeIcon,
  GearIcon,
  HeartIcon,
  ImageIcon,
  LayersIcon,
  LockClosedIcon,
  MixIcon,
  PaperPlaneIcon,
  PersonIcon,
  StackIcon,
} from '@radix-ui/react-icons';
import type { ComponentType } from 'react';
import type { Scope } from '../api/client.js';
import { lazyPart } from '../ui/lazy-part.js';

export interface Section {
  readonly path: string;
  readonly label: string;
  /** The scope that its pages need; without one they are for every key. */
  readonly scope?: Scope;
  readonly icon: ComponentType<{ 'aria-hidden'?: boolean }>;
}

/** The entries of the navigation, in their order. A key sees those whose scope it has. */
export const SECTIONS: readonly Section[] = [
  { path: '/capture', label: 'Capture', scope: 'capture', icon: CameraIcon },
  { path: '/captures', label: 'Captures', scope: 'read', icon: ImageIcon },
  { path: '/batches', label: 'Batches', scope: 'read', icon: StackIcon },
  { path: '/crawls', label: 'Crawls', scope: 'read', icon: GlobeIcon },
  { path: '/sessions', label: 'Sessions', scope: 'read', icon: LockClosedIcon },
  { path: '/monitors', label: 'Monitors', scope: 'read', icon: EyeOpenIcon },
  { path: '/usage', label: 'Usage', scope: 'read', icon: BarChartIcon },
  { path: '/webhooks', label: 'Webhooks', scope: 'read', icon: PaperPlaneIcon },
  { path: '/status', label: 'Status', icon: ActivityLogIcon },
  { path: '/admin/accounts', label: 'Accounts', scope: 'admin', icon: PersonIcon },
  { path: '/admin/keys', label: 'Keys', scope: 'admin', icon: IdCardIcon },
  { path: '/admin/usage', label: 'Usage of accounts', scope: 'admin', icon: MixIcon },
  { path: '/admin/audit', label: 'Audit trail', scope: 'admin', icon: ClipboardIcon },
  { path: '/admin/workers', label: 'Workers', scope: 'admin', icon: DesktopIcon },
  { path: '/admin/queue', label: 'Queue', scope: 'admin', icon: LayersIcon },
  { path: '/admin/settings', label: 'Settings', scope: 'admin', icon: GearIcon },
  { path: '/admin/health', label: 'Health', scope: 'admin', icon: HeartIcon },
];

interface Page {
  readonly path: string;
  readonly page: ComponentType;
  /** Without this scope a key sees a sentence in place of the page. */
  readonly scope?: Scope;
}

/** The pages for operators. */
const ADMIN_PAGES: readonly Omit<Page, 'scope'>[] = [
  {
    path: '/admin/accounts/new',
    page: lazyPart(() => import('../pages/admin/accounts/new-account-page.js')),
  },
  { path: '/admin/accounts/:id', page: lazyPart(() => import('../pages/admin/accounts/account-page.js')) },
  { path: '/admin/accounts', page: lazyPart(() => import('../pages/admin/accounts/accounts-page.js')) },
  { path: '/admin/keys/new', page: lazyPart(() => import('../pages/admin/keys/new-key-page.js')) },
  { path: '/admin/keys/:id', page: lazyPart(() => import('../pages/admin/keys/key-page.js')) },
  { path: '/admin/keys', page: lazyPart(() => import('../pages/admin/keys/keys-page.js')) },
  {
    path: '/admin/usage/:id',
    page: lazyPart(() => import('../pages/admin/usage/one-account-usage-page.js')),
  },
  { path: '/admin/usage', page: lazyPart(() => import('../pages/admin/usage/accounts-usage-page.js')) },
  { path: '/admin/audit', page: lazyPart(() => import('../pages/admin/audit/audit-page.js')) },
  { path: '/admin/workers', page: lazyPart(() => import('../pages/admin/operations/workers-page.js')) },
  { path: '/admin/queue', page: lazyPart(() => import('../pages/admin/operations/queue-page.js')) },
  { path: '/admin/settings', page: lazyPart(() => import('../pages/admin/operations/settings-page.js')) },
  { path: '/admin/health', page: lazyPart(() => import('../pages/admin/operations/health-page.js')) },
];

/** The pages by their paths, the more particular ones first. Each is loaded when it is first shown. */
export const PAGES: readonly Page[] = [
  { path: '/capture', page: lazyPart(() => import('../pages/capture/capture-page.js')) },
  { path: '/captures/compare', page: lazyPart(() => import('../pages/captures/compare-page.js')) },
  { path: '/captures/:id', page: lazyPart(() => import('../pages/captures/capture-detail-page.js')) },
  { path: '/captures', page: lazyPart(() => import('../pages/captures/captures-page.js')) },
  { path: '/batches/new', page: lazyPart(() => import('../pages/batches/new-batch-page.js')) },
  { path: '/batches/:id', page: lazyPart(() => import('../pages/batches/batch-page.js')) },
  { path: '/batches', page: lazyPart(() => import('../pages/batches/batches-page.js')) },
  { path: '/crawls/new', page: lazyPart(() => import('../pages/crawls/new-crawl-page.js')) },
  { path: '/crawls/:id', page: lazyPart(() => import('../pages/crawls/crawl-page.js')) },
  { path: '/crawls', page: lazyPart(() => import('../pages/crawls/crawls-page.js')) },
  { path: '/sessions/new', page: lazyPart(() => import('../pages/sessions/new-session-page.js')) },
  { path: '/sessions/:id', page: lazyPart(() => import('../pages/sessions/session-page.js')) },
  { path: '/sessions', page: lazyPart(() => import('../pages/sessions/sessions-page.js')) },
  { path: '/monitors/new', page: lazyPart(() => import('../pages/monitors/new-monitor-page.js')) },
  { path: '/monitors/:id/edit', page: lazyPart(() => import('../pages/monitors/edit-monitor-page.js')) },
  { path: '/monitors/:id', page: lazyPart(() => import('../pages/monitors/monitor-page.js')) },
  { path: '/monitors', page: lazyPart(() => import('../pages/monitors/monitors-page.js')) },
  { path: '/usage', page: lazyPart(() => import('../pages/usage/usage-page.js')) },
  { path: '/webhooks/:id', page: lazyPart(() => import('../pages/webhooks/delivery-page.js')) },
  { path: '/webhooks', page: lazyPart(() => import('../pages/webhooks/webhooks-page.js')) },
  { path: '/status', page: lazyPart(() => import('../pages/status/status-page.js')) },
  ...ADMIN_PAGES.map((page) => ({ ...page, scope: 'admin' as const })),
];
