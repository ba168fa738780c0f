import classes from './pick-box.module.css';

interface PickBoxProps {
  readonly name: string;
  readonly isSelected: boolean;
  readonly className?: string | undefined;
  readonly onToggle: () => void;
}

/** Selects a capture for a comparison. Tab does not lead here: the keys c and Space do the same in the list. */
export function PickBox({ name, isSelected, className = '', onToggle }: PickBoxProps) {
  return (
    <input
      type="checkbox"
      className={`${classes.box} ${className}`}
      checked={isSelected}
      onChange={onToggle}
      tabIndex={-1}
      aria-label={`Select ${name} for a comparison`}
    />
  );
}
