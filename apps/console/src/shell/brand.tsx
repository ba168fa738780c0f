import { Link } from 'wouter';
import icon from '../icon.svg';
import classes from './shell.module.css';

export function Brand() {
  return (
    <Link href="/captures" className={classes.brand}>
      <img src={icon} alt="" width={20} height={20} />
      Capture Service
    </Link>
  );
}
