// Loaded by NODE_OPTIONS: the clock of the process is wrong by CLOCK_SHIFT_MS.
const shiftMs = Number(process.env.CLOCK_SHIFT_MS);
const TrueDate = Date;

globalThis.Date = class Date extends TrueDate {
  constructor(...values) {
    super(...(values.length === 0 ? [Date.now()] : values));
  }

  static now() {
    return TrueDate.now() + shiftMs;
  }
};
