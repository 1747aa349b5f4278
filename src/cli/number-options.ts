import { InvalidArgumentError } from "commander";

/** Reads the value of an option; each refuses others with what is legal. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 0 on.");
  return Number(text);
}

export function atLeastOne(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("It must be a whole number from 1 to 999999.");
  return Number(text);
}

export function positive(text: string): number {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError("It must be a number from 0 on.");
  return Number(text);
}

/** Above 0, below 1. */
export function properShare(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError("It must be a number above 0 and below 1.");
  return value;
}

/** Minutes, above 0; a day at most. */
export function positiveMinutes(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 1440)) throw new InvalidArgumentError("It must be a number of minutes, up to 1440.");
  return value;
}
