/**
 * Refuses arguments of another type than a verb takes, before anything is done.
 *
 * Types say so to a compiler. A program in plain JavaScript learns it here, by an error that names the verb, the place
 * and what is wanted, instead of a stack trace of whatever the value would have reached. Values that a contract, a
 * schema or the kernel judges are left to them: their answer is an outcome.
 */
import * as Field from "@backstitch/expressions/Field"
import { BackstitchError } from "./Failures.ts"

/** The form of a value: its words, the test of the value alone, and the forms of its fields, by name or for each. */
export interface Form {
  readonly wants: string
  readonly fits: (value: unknown) => boolean
  readonly fields?: Readonly<Record<string, Form>>
  readonly each?: Form
}

/** The arguments of a verb by name, in their order, and a call of it as one would write it. */
export interface Usage {
  readonly call: string
  readonly takes: Readonly<Record<string, Form>>
}

/** Any text. */
export const text: Form = { wants: "a text", fits: (value) => typeof value === "string" }

/** A whole number. */
export const whole: Form = { wants: "a whole number", fits: Number.isSafeInteger }

/** A value that is judged elsewhere. */
export const any: Form = { wants: "anything", fits: () => true }

/** Any function. */
export const callable: Form = { wants: "a function", fits: (value) => typeof value === "function" }

/** A signal that may abort. */
export const abortSignal: Form = {
  wants: "an AbortSignal",
  fits: (value) => isObject(value) && "throwIfAborted" in value && typeof value.throwIfAborted === "function"
}

/** An object, and the forms of its fields. Other fields are left alone. */
export const object = (fields: Readonly<Record<string, Form>> = {}): Form => ({
  wants: "an object",
  fits: isObject,
  fields
})

/** An object whose fields are all of one form. */
export const recordOf = (each: Form): Form => ({ ...object(), each })

/** A list of values of a form. */
export const listOf = (item: Form, wants: string): Form => ({
  wants,
  fits: (value) => Array.isArray(value) && value.every((each) => misfitOf(item, each, "") === undefined)
})

/** One form or another, in words that name both. Fields are held to the second. */
export const either = (one: Form, other: Form, wants: string): Form => ({
  ...other,
  wants,
  fits: (value) => one.fits(value) || other.fits(value)
})

/** A form of a value that may be left out. */
export const optional = (form: Form): Form => ({ ...form, fits: (value) => value === undefined || form.fits(value) })

/** Throws for the first argument of another form. An argument that is `null` counts as left out. */
export const demand = ({ call, takes }: Usage, given: ReadonlyArray<unknown>, run?: string): void => {
  for (const [index, [name, form]] of Object.entries(takes).entries()) {
    const misfit = misfitOf(form, given[index] ?? undefined, name)
    if (misfit === undefined) continue
    const { path, value, wants } = misfit
    // The type alone: a value at the wrong place may be a secret.
    const kind = Field.named({ type: Field.seen(value).type })
    const message = `${call} was given ${kind} for ${path}, which has to be ${wants}`
    throw new BackstitchError({ code: "argument_invalid", message, run })
  }
}

/** Verbs that demand the forms of their arguments before they do anything, and answer a promise in any case. */
export const demanding = <Verbs extends object>(
  verbs: Verbs,
  usages: Readonly<Partial<Record<keyof Verbs, Usage>>>,
  run?: string
): Verbs => {
  const own = Object.entries<Usage | undefined>(usages).flatMap(([name, usage]) => {
    const verb = (verbs as Readonly<Record<string, unknown>>)[name]
    if (usage === undefined || typeof verb !== "function") return []
    const demands = async (...given: ReadonlyArray<unknown>): Promise<unknown> => {
      demand(usage, given, run)
      return verb(...given.map((each) => each ?? undefined))
    }
    return [[name, demands] as const]
  })
  return { ...verbs, ...Object.fromEntries(own) }
}

interface Misfit {
  readonly path: string
  readonly value: unknown
  readonly wants: string
}

const misfitOf = (form: Form, value: unknown, path: string): Misfit | undefined => {
  const { each, fields = {}, fits, wants } = form
  if (!fits(value)) return { path, value, wants }
  if (!isObject(value)) return undefined
  const parts = value as { readonly [name: string]: unknown }
  const all = each === undefined ? [] : Object.keys(parts).map((name) => [name, each] as const)
  for (const [name, part] of [...Object.entries(fields), ...all]) {
    const misfit = misfitOf(part, parts[name], `${path}.${name}`)
    if (misfit !== undefined) return misfit
  }
  return undefined
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)
