/**
 * The parts of the expression profile that differ between its versions.
 *
 * A run pins the version that it was begun under, and its expressions mean the
 * same for ever. A version is never changed; a new meaning is a new version.
 *
 * @since 0.1.0
 */
import * as Functions from "./celFunctions.ts"
import type { Frame } from "./celValue.ts"
import * as Value from "./celValue.ts"

/** An operator between two values. */
type Operator = (left: unknown, right: unknown, frame: Frame, start: number) => unknown

/** One version of the profile. */
export interface Meaning {
  readonly operators: Readonly<Record<"+" | "-" | "*" | "/" | "%", Operator>>
  /** Whether `/` between whole numbers that the expression itself makes is whole, whatever `/` is elsewhere. */
  readonly dividesWhole: boolean
  readonly methods: Readonly<Record<string, Functions.Definition>>
}

/** An operator between two whole numbers of which each is exact, and so is the answer where it is whole. */
const exactly =
  (operator: Operator): Operator =>
  (left, right, frame, start) => {
    if (!Number.isInteger(left) || !Number.isInteger(right)) return operator(left, right, frame, start)
    const value = operator(Value.exact(left, start), Value.exact(right, start), frame, start)
    return Number.isInteger(value) ? Value.exact(value, start) : value
  }

/** The first version: whole numbers grow beyond what is exact, and `trim` leaves white space beyond ASCII. */
const first: Meaning = {
  operators: {
    "+": Value.add,
    "-": Value.subtract,
    "*": Value.multiply,
    "/": Value.divide,
    "%": Value.remainder
  },
  dividesWhole: true,
  methods: { ...Functions.methods, trim: Functions.trimAscii }
}

const second: Meaning = {
  operators: {
    "+": exactly(Value.add),
    "-": exactly(Value.subtract),
    "*": exactly(Value.multiply),
    "/": exactly(Value.divide),
    "%": exactly(Value.remainder)
  },
  dividesWhole: false,
  methods: Functions.methods
}

/** The versions by the name of the engine that a run pins, the newest last. */
export const meanings = {
  "cel-js@8.0.0/profile.1": first,
  "cel-js@8.0.0/profile.2": second
} as const
