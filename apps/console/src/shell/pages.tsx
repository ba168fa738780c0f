import {
  ActivityLogIcon,
  BarChartIcon,
  CameraIcon,
  EyeOpenIcon,
  ImageIcon,
  LockClosedIcon,
  PaperPlaneIcon,
  StackIcon,
} from '@radix-ui/react-icons';
import type { ComponentType } from 'react';
import { lazyPart } from '../ui/lazy-part.js';

interface Section {
  readonly path: string;
  readonly label: string;
  readonly icon: ComponentType<{ 'aria-hidden'?: boolean }>;
}

/** The entries of the navigation, in their order. */
export const SECTIONS: readonly Section[] = [
  { path: '/capture', label: 'Capture', icon: CameraIcon },
  { path: '/captures', label: 'Captures', icon: ImageIcon },
  { path: '/batches', label: 'Batches', icon: StackIcon },
  { path: '/sessions', label: 'Sessions', icon: LockClosedIcon },
  { path: '/monitors', label: 'Monitors', icon: EyeOpenIcon },
  { path: '/usage', label: 'Usage', icon: BarChartIcon },
  { path: '/webhooks', label: 'Webhooks', icon: PaperPlaneIcon },
  { path: '/status', label: 'Status', icon: ActivityLogIcon },
];

/** The pages by their paths, the more particular ones first. Each is loaded when it is first shown. */
export const PAGES: readonly { readonly path: string; readonly page: ComponentType }[] = [
  { path: '/capture', page: lazyPart(() => import('../pages/capture/capture-page.js')) },
  { path: '/captures/compare', page: lazyPart(() => import('../pages/captures/compare-page.js')) },
  { path: '/captures/:id', page: lazyPart(() => import('../pages/captures/capture-detail-page.js')) },
  { path: '/captures', page: lazyPart(() => import('../pages/captures/captures-page.js')) },
  { path: '/batches/new', page: lazyPart(() => import('../pages/batches/new-batch-page.js')) },
  { path: '/batches/:id', page: lazyPart(() => import('../pages/batches/batch-page.js')) },
  { path: '/batches', page: lazyPart(() => import('../pages/batches/batches-page.js')) },
  { path: '/sessions/new', page: lazyPart(() => import('../pages/sessions/new-session-page.js')) },
  { path: '/sessions/:id', page: lazyPart(() => import('../pages/sessions/session-page.js')) },
  { path: '/sessions', page: lazyPart(() => import('../pages/sessions/sessions-page.js')) },
  { path: '/monitors/new', page: lazyPart(() => import('../pages/monitors/new-monitor-page.js')) },
  { path: '/monitors/:id', page: lazyPart(() => import('../pages/monitors/monitor-page.js')) },
  { path: '/monitors', page: lazyPart(() => import('../pages/monitors/monitors-page.js')) },
  { path: '/usage', page: lazyPart(() => import('../pages/usage/usage-page.js')) },
  { path: '/webhooks/:id', page: lazyPart(() => import('../pages/webhooks/delivery-page.js')) },
  { path: '/webhooks', page: lazyPart(() => import('../pages/webhooks/webhooks-page.js')) },
  { path: '/status', page: lazyPart(() => import('../pages/status/status-page.js')) },
];
