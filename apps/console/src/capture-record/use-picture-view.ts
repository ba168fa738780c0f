import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { scaleOf, stepFrom, wheelScale, type Extent, type Zoom } from './zoom.js';

/** Zooms a picture around a point of its view, and moves it by dragging. The view itself scrolls. */
export function usePictureView(picture: Extent) {
  const view = useRef<HTMLDivElement>(null);
  const { ref: sized, width, height } = useElementSize();
  const [zoom, setZoom] = useState<Zoom>('width');
  const scale = width === 0 ? undefined : scaleOf(zoom, picture, { width, height });
  const zoomTo = useZoomAround(view, scale ?? 1, setZoom);
  useWheel(view, (event) => zoomTo(wheelScale(scale ?? 1, event.deltaY), event));
  const step = (direction: 1 | -1) => zoomTo(stepFrom(scale ?? 1, direction));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { '+': () => step(1), '=': () => step(1), '-': () => step(-1) }[event.key];
    const fit = { '0': 'width', '9': 'whole', '1': 1 }[event.key] as Zoom | undefined;
    if (act) act();
    else if (fit !== undefined) setZoom(fit);
    else return;
    event.preventDefault();
  };
  return { ref: useMergedRef(view, sized), zoom, scale, setZoom, step, onKeyDown, ...useDrag(view) };
}

/** Changes the factor so that the point under the pointer, else the middle of the view, stays where it is. */
function useZoomAround(
  view: React.RefObject<HTMLDivElement | null>,
  scale: number,
  setZoom: (zoom: Zoom) => void,
) {
  const kept = useRef<{ x: number; y: number; left: number; top: number } | undefined>(undefined);
  useLayoutEffect(() => {
    if (!kept.current || !view.current) return;
    const { x, y, left, top } = kept.current;
    kept.current = undefined;
    view.current.scrollTo({ left: x * scale - left, top: y * scale - top, behavior: 'instant' });
  }, [scale, view]);
  return (to: number, at?: { readonly clientX: number; readonly clientY: number }) => {
    const element = view.current;
    if (element) {
      const box = element.getBoundingClientRect();
      const left = at ? at.clientX - box.left : box.width / 2;
      const top = at ? at.clientY - box.top : box.height / 2;
      const x = (element.scrollLeft + left) / scale;
      kept.current = { x, y: (element.scrollTop + top) / scale, left, top };
    }
    setZoom(to);
  };
}

/** Ctrl, ⌘ or a pinch with the wheel zooms; the wheel alone scrolls. React listens passively, which cannot prevent the zoom of the page. */
function useWheel(view: React.RefObject<HTMLDivElement | null>, onZoom: (event: WheelEvent) => void): void {
  const latest = useRef(onZoom);
  useEffect(() => {
    latest.current = onZoom;
  });
  useEffect(() => {
    const element = view.current;
    const listen = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      latest.current(event);
    };
    element?.addEventListener('wheel', listen, { passive: false });
    return () => element?.removeEventListener('wheel', listen);
  }, [view]);
}

function useDrag(view: React.RefObject<HTMLDivElement | null>) {
  const isDragging = useRef(false);
  return {
    onPointerDown: (event: PointerEvent) => {
      // A finger scrolls by itself.
      if (event.button !== 0 || event.pointerType === 'touch') return;
      isDragging.current = true;
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: ({ movementX, movementY }: PointerEvent) => {
      if (isDragging.current)
        view.current?.scrollBy({ left: -movementX, top: -movementY, behavior: 'instant' });
    },
    onPointerUp: () => {
      isDragging.current = false;
    },
  };
}
