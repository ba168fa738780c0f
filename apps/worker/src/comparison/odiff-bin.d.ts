/** The part of odiff-bin that finds its program; its own types are about comparisons. */
declare module 'odiff-bin/binary.js' {
  /** @throws Error when the package of this platform is not installed */
  export function findBinary(): string;
}
