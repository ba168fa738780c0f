import type { Fault } from '@app/kernel';
import { PageAnimations } from '../stability/page-animations.js';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { Choice } from '../pipeline/option-fields.js';
import type { StabilityOptions } from './stability.js';

export class AnimationOptions {
  @Choice(
    ['finish', 'allow', 'freeze'],
    'What happens to charts that scripts draw, transitions and animations. `finish`: once nothing else is missing, the time of the page passes as fast as its scripts run, until nothing moves or for 2 s of its time. `allow`: they take their time, and the capture waits for those that end within 2 s. `freeze`: they are stopped where they are, and not waited for. `stable` ends them by itself and allows only `finish`.',
    { exposure: 'public' },
  )
  animations: 'finish' | 'allow' | 'freeze' = 'finish';
}

type AnimationsAndStability = AnimationOptions & Pick<StabilityOptions, 'stable'>;

function check({ animations, stable }: AnimationsAndStability): Fault[] {
  if (!stable || animations === 'finish') return [];
  return [{ pointer: '/animations', code: 'conflict', detail: 'must be finish with stable' }];
}

async function prepare(visit: Visit, { animations, stable }: AnimationsAndStability): Promise<void> {
  if (stable || animations === 'allow') return;
  visit.animations = await PageAnimations.prepare(visit, animations);
}

async function release(visit: Visit): Promise<void> {
  await visit.animations?.release();
}

export const animations = defineFamily<AnimationOptions, AnimationsAndStability>(
  { name: 'animations', doc: 'What happens to what moves.' },
  AnimationOptions,
  { check, prepare, release },
);
