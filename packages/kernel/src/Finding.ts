/**
 * Findings that a trace keeps as a code with its arguments, and their words for people.
 *
 * A committed check of this kind carries `code` and `args` and no sentence, so
 * that a program can act on it and its wording may change.
 *
 * @source docs/decisions/0018
 * @since 0.1.0
 */
import type { Json, JsonObject } from "@backstitch/trace/Canonical"
import * as Canonical from "@backstitch/trace/Canonical"
import * as Check from "./Check.ts"

interface Words {
  readonly expected: string
  readonly found: string
  readonly remedy: string
}

interface Definition {
  readonly step: Check.Step
  readonly say: (args: JsonObject) => Words
}

const text = (value: Json | undefined): string => (value === undefined || value === null ? "?" : String(value))

/**
 * Every finding, by its code.
 *
 * @category constants
 * @since 0.1.0
 */
export const codes = {
  /** Another run did the act and reversed it since. */
  "act.reversed": {
    step: "key",
    say: ({ action, reversal, reversedAt, run, tick }) => ({
      expected: "an act that no other run has reversed",
      found:
        `run ${text(run)} did it (${text(action)}, tick ${text(tick)}) ` +
        (reversal === action
          ? `and it is not there any more, by its record or on a person's word (tick ${text(reversedAt)})`
          : `and reversed it (${text(reversal)}, tick ${text(reversedAt)})`),
      remedy: "set occurrence in a step of the plan, or let the user ask for it with resume --again TICK"
    })
  },
  /** Another run did the act and took back a part of it, or all of it on its tool's word: something may be left. */
  "act.doubtful": {
    step: "key",
    say: ({ action, reversal, reversedAt, run, tick }) => ({
      expected: "an act that stands, or of which nothing is left",
      found:
        `run ${text(run)} did it (${text(action)}, tick ${text(tick)}) and took it back in part, or on a tool's word ` +
        `(${text(reversal)}, tick ${text(reversedAt)})`,
      remedy: `let a person find out what is left of it: backstitch report ${text(run)}`
    })
  },
  /** Another run has begun the act, and it is not settled. */
  "act.unsettled": {
    step: "key",
    say: ({ action, run, tick }) => ({
      expected: "an act that nobody has begun, or one that is settled",
      found: `${text(action)} of run ${text(run)} began it at tick ${text(tick)} and has not settled it`,
      remedy: `settle it first: backstitch resume ${text(run)} --agent FILE`
    })
  },
  /** Another run did the act and is about to undo it, or undoes it just now. */
  "act.undoing": {
    step: "key",
    say: ({ action, run, tick }) => ({
      expected: "an act that nobody is undoing",
      found: `run ${text(run)} did it (${text(action)}) and has wanted it undone since tick ${text(tick)}`,
      remedy: `let that end first: backstitch resume ${text(run)} --agent FILE`
    })
  },
  /** Another run relies on what would be undone. */
  "act.relied": {
    step: "policy",
    say: ({ action, run, tick, undoes }) => ({
      expected: "an act that no other run relies on",
      found: `run ${text(run)} relies on ${text(undoes)} (${text(action)}, tick ${text(tick)})`,
      remedy: "let a person decide what becomes of both runs"
    })
  },
  /** Another run of the lineage made the same request, and no key can tell whether this is that act or one more. */
  "act.repeated": {
    step: "approval",
    say: ({ action, run, tick }) => ({
      expected: "a person who says that it is one more act",
      found:
        `${text(action)} of run ${text(run)} made the same request at tick ${text(tick)}, and without a key ` +
        "nothing tells whether this is the same act or one more",
      remedy: "a person decides"
    })
  },
  /** What a provider delivers was taken in before. */
  "delivery.replayed": {
    step: "contract",
    say: ({ action, run, tick }) => ({
      expected: "a delivery that was not taken in before",
      found: `one that counts already: ${text(action)} of run ${text(run)} took it in at tick ${text(tick)}`,
      remedy: "nothing is to be done: a delivery counts once"
    })
  },
  /** What an act is known by is sealed, and no digest beside it would be recognised by another run. */
  "key.sealed": {
    step: "key",
    say: () => ({
      expected: "a value that was sealed for this tool",
      found: "a sealed value that another run would not recognise",
      remedy: "let the agent propose the call, or declare identity: { scope: run }"
    })
  },
  /** Nobody here knows the type, or only under another version than the run pins. */
  "type.unknown": {
    step: "authorship",
    say: ({ namespace, type }) => ({
      expected: "a type of the ontology, or of a namespace that the kernel has",
      found: namespace === undefined ? text(type) : `${text(type)}, and the namespace ${text(namespace)} is not here`,
      remedy: "propose a type such as action.request or observation.add, or declare this one for the kernel"
    })
  },
  /** The run began without the namespace, or with a version that does not have the type. */
  "type.unpinned": {
    step: "authorship",
    say: ({ namespace, pinned, since, type }) => ({
      expected: `a run that pins ${text(namespace)} from version ${text(since)}, which has ${text(type)}`,
      found: pinned === undefined ? "a run without that namespace" : `a run that pins version ${text(pinned)}`,
      remedy: "begin another run with this kernel: a run keeps the types that it began with"
    })
  },
  /** The payload is none of its type. */
  "payload.misfit": {
    step: "schema",
    say: ({ path, type }) => ({
      expected: `a payload as ${text(type)} declares it`,
      found: `another form at ${path === "" ? "data" : `data.${text(path)}`}`,
      remedy: "correct that field"
    })
  },
  /** A model asked for one more of the same of its own accord. */
  "occurrence.author": {
    step: "authorship",
    say: ({ occurrence }) => ({
      expected: "an occurrence that a user, a plan or an instance has set",
      found: `occurrence ${text(occurrence)} from a planner that decides step by step`,
      remedy: "propose it without occurrence; a step of a plan or the user may ask for one more of the same"
    })
  }
} as const satisfies Readonly<Record<string, Definition>>

/**
 * A code.
 *
 * @category models
 * @since 0.1.0
 */
export type Code = keyof typeof codes

/**
 * A check that failed, as a code with its arguments and in words.
 *
 * @category constructors
 * @since 0.1.0
 */
export const fail = (code: Code, id: string, args: JsonObject): Check.Check => {
  const definition: Definition = codes[code]
  return { ...Check.fail(definition.step, id, definition.say(args)), args, code }
}

/**
 * A check as a trace keeps it: without words where it has a code.
 *
 * @category conversions
 * @since 0.1.0
 */
export const kept = (check: Check.Check): Check.Check => {
  if (check.code === undefined) return check
  const { expected: _, found: __, remedy: ___, ...rest } = check
  return rest as Check.Check
}

/**
 * A check of a trace, in words.
 *
 * @category conversions
 * @since 0.1.0
 */
export const worded = (check: Check.Check): Check.Check => {
  const definition = isCode(check.code) ? (codes[check.code] as Definition) : undefined
  return definition === undefined ? check : { ...check, ...definition.say(Canonical.objectOf(check.args)) }
}

/**
 * The reason that a refusal keeps, or the words of the finding that it keeps instead.
 *
 * @category getters
 * @since 0.1.0
 */
export const reasonOf = (data: JsonObject): string | undefined => {
  const { checks, reason } = data
  if (typeof reason === "string") return reason
  if (!Array.isArray(checks)) return undefined
  return Check.reason((checks as ReadonlyArray<Check.Check>).map(worded))
}

/**
 * What was found, in words; `undefined` for a check that is kept in none.
 *
 * @category getters
 * @since 0.1.0
 */
export const foundIn = (check: Json | undefined): string | undefined =>
  Canonical.isObject(check) ? worded(check as Check.Check).found : undefined

const isCode = (code: string | undefined): code is Code => code !== undefined && Object.hasOwn(codes, code)
