/** The building blocks of a compiled expression: access to fields, conditions, comprehensions. */

import * as Value from "./operators.ts"
import { type Frame, isRaised, type Raised } from "./operators.ts"

/** Computes a value. */
export type Evaluate = (frame: Frame) => unknown

/** Reads a field of a target. The field has to exist. */
export const access =
  (target: Evaluate, key: string, start: number): Evaluate =>
  (frame) => {
    const value = Value.lookup(target(frame), key, start)
    return value === undefined ? Value.raise(`there is no field ${key}`, start) : value
  }

/** Reads a field from the section that has it, if the sections are not declared. */
export const dynamicState =
  (key: string, start: number): Evaluate =>
  (frame) => {
    const { state, working, world } = frame.bindings
    const found = [state, working, world]
      .filter((section) => section !== undefined)
      .map((section) => Value.lookup(section, key, start))
      .filter((value) => value !== undefined)
    if (found.length > 1) return Value.raise(`state.${key} is in both world and working`, start)
    return found.length === 0 ? Value.raise(`there is no field ${key} in world or working`, start) : found[0]
  }

/** Computes a value; `undefined` if it fails. */
export const attempt = (run: Evaluate, frame: Frame): unknown => {
  try {
    return run(frame)
  } catch (error) {
    if (isRaised(error) && !error.fatal) return undefined
    throw error
  }
}

/** The value of a condition. */
export const truth = (value: unknown, start: number): boolean =>
  typeof value === "boolean"
    ? value
    : Value.raise(`a condition has to be true or false, and is ${Value.nameOf(value)}`, start)

/** One comprehension over a range, with its variable in a slot of the frame. */
export type Loop = (
  items: Iterable<unknown>,
  slot: number,
  predicate: Evaluate | undefined,
  transform: Evaluate | undefined,
  frame: Frame,
  start: number
) => unknown

/** `all` and `exists` answer as soon as one item decides, and ignore failures of other items, as in CEL. */
const quantifier =
  (decisive: boolean): Loop =>
  (items, slot, predicate, _transform, frame, start) => {
    let failure: Raised | undefined
    for (const item of items) {
      frame.spend(1, start)
      frame.locals[slot] = item
      try {
        if (truth(predicate?.(frame), start) === decisive) return decisive
      } catch (error) {
        if (!isRaised(error) || error.fatal) throw error
        failure ??= error
      }
    }
    if (failure !== undefined) throw failure
    return !decisive
  }

/** The comprehensions, by name. */
export const loops: Readonly<Record<string, Loop>> = {
  all: quantifier(false),
  exists: quantifier(true),
  exists_one: (items, slot, predicate, _transform, frame, start) => {
    let count = 0
    for (const item of items) {
      frame.spend(1, start)
      frame.locals[slot] = item
      if (truth(predicate?.(frame), start)) count++
    }
    return count === 1
  },
  filter: (items, slot, predicate, _transform, frame, start) => {
    const kept: Array<unknown> = []
    for (const item of items) {
      frame.spend(1, start)
      frame.locals[slot] = item
      if (truth(predicate?.(frame), start)) kept.push(item)
    }
    return kept
  },
  map: (items, slot, predicate, transform, frame, start) => {
    const mapped: Array<unknown> = []
    for (const item of items) {
      frame.spend(1, start)
      frame.locals[slot] = item
      if (predicate === undefined || truth(predicate(frame), start)) mapped.push(transform?.(frame))
    }
    return mapped
  }
}
