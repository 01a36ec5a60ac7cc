/**
 * The rules by which a kernel decides, numbered, so that a run says by which of them it was decided.
 *
 * A fold of recorded decisions never changes for a run, but the rules by which decisions are made do: a call that was
 * allowed is refused, an outcome that counted as settled is asked about. Each change is named here with the version
 * that brings it. `run.started` pins the version, and a run that goes on under other rules says so in a `run.migrated`
 * before the first decision that is made by them. So the state before a decision tells its rules, and deciding it again
 * accuses no run of a decision that was right then.
 *
 * | a change | what the kernel does | what deciding again answers |
 * | --- | --- | --- |
 * | keeps the older rule behind {@link binds} | decides by the rules of the state | the same decision |
 * | drops the older rule | decides by the newer one | decided under older rules, with the change named |
 *
 * @see `docs/decisions/0021-decisions-say-by-which-rules.md`
 */
import * as Contract from "@backstitch/reducer/Contract"
import type { State } from "@backstitch/reducer/State"
import * as Canonical from "@backstitch/trace/Canonical"
import type { Body } from "@backstitch/trace/Transition"
import type { DecisionTerms } from "../state/DecisionTerms.ts"
import type { Command } from "./Command.ts"

/** A recorded decision that comes out otherwise: where it was made, what was committed, and what is decided now. */
export interface Judged {
  readonly terms: DecisionTerms
  readonly state: State
  readonly command: Command
  readonly committed: Body
  /** Absent where nothing is decided any more. */
  readonly decided: Body | undefined
}

/**
 * A change of the rules. `since` is the first version that has it.
 *
 * **Details**
 *
 * `accounts` tells whether an earlier decision may come out otherwise because of this change alone. It excuses what it
 * accepts, so it reads the class, the command and the fields that the change is about.
 */
export interface Change {
  readonly id: string
  readonly since: number
  readonly accounts: (judged: Judged) => boolean
}

/** The rules of a kernel: their version, and how they came to be what they are. */
export interface DecisionRules {
  readonly version: number
  readonly changes: ReadonlyArray<Change>
}

/** The rules in force. */
export const standard: DecisionRules = { version: 1, changes: [] }

/** The version of the rules by which the next decision of a state is made. */
export const of = (state: State): number => Contract.of(state).rules ?? 1

/** Tells whether a change binds the next decision of a state: a decider that keeps the older rule asks this. */
export const binds = (state: State, { since }: Pick<Change, "since">): boolean => of(state) >= since

/** Tells whether a state says other rules than those of the kernel that is to decide in it. */
export const isOther = ({ version }: DecisionRules, state: State): boolean =>
  Object.keys(state.kernel).length > 0 && of(state) !== version

/** The change by which a decision was right when it was made, although it comes out otherwise now. */
export const accountable = ({ changes }: DecisionRules, judged: Judged): Change | undefined =>
  changes.find((change) => !binds(judged.state, change) && change.accounts(judged))

/** Tells whether two bodies are the same but for fields that are named by their paths, such as `data.reason`. */
export const isSameBut = (paths: ReadonlyArray<string>, { committed, decided }: Judged): boolean => {
  const rest = (body: Body) =>
    paths.reduce((left, path) => without(left, path.split(".")), Canonical.objectOf({ ...body }))
  return decided !== undefined && Canonical.equals(rest(committed), rest(decided))
}

const without = (value: Canonical.JsonObject, [name = "", ...more]: ReadonlyArray<string>): Canonical.JsonObject => {
  const { [name]: inner, ...rest } = value
  return more.length === 0 || !Canonical.isObject(inner) ? rest : { ...rest, [name]: without(inner, more) }
}
