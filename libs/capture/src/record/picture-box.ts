import { every, integer } from '@app/kernel';

/** A part of a picture, in its px. */
export interface PictureBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const PICTURE_BOX = every({ x: integer, y: integer, width: integer, height: integer });
