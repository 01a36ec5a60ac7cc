/**
 * One tool that acts once, for a loop of the user's own.
 *
 * Each call is on record before it is sent. If no answer comes, or the process is killed, the next call with the same
 * arguments asks what happened before it sends anything. A call that was done before is answered from the record.
 */
import type * as TaskPack from "@backstitch/contracts/TaskPack"
import type * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as BoundTools from "./contract/boundTools.ts"
import * as CheckedInput from "./contract/checkedInput.ts"
import * as PackOf from "./contract/packOf.ts"
import type { StandardSchema } from "./contract/StandardSchema.ts"
import type { Found, OutputFound, OutputOf, Tool, ToolContext } from "./contract/Tool.ts"
import type { ToolContract } from "./contract/ToolContract.ts"
import * as ToolForm from "./contract/toolForm.ts"
import { BackstitchError, ofOutcome } from "./failures/Failures.ts"
import {
  abortSignal,
  any,
  callable,
  demand,
  either,
  object,
  optional,
  text,
  type Usage
} from "./failures/givenArguments.ts"
import * as GuardedCall from "./session/guardedCall.ts"
import * as Session from "./session/Session.ts"
import type { StoreSettings } from "./session/StoreSettings.ts"
import * as SettingsForm from "./session/settingsForm.ts"
import type { Outcome } from "./values/Outcome.ts"
import type { Recorded } from "./values/Recorded.ts"

/**
 * Options of a guarded tool. `Status` and `Read` are what its questions answer, which stands for an answer of the
 * tool that was lost.
 */
export interface Options<Args, Status extends Found = Found, Read extends Found = Found>
  extends StoreSettings,
    Omit<Tool<Args>, "execute" | "input" | "readback" | "status"> {
  readonly contract: ToolContract
  /** Asks what became of the call with this key, in the form of the tool's own answer. */
  readonly status?: ((args: Args, context: ToolContext) => Status | Promise<Status>) | undefined
  /** Reads the record that the call is about. */
  readonly readback?: ((args: Args, context: ToolContext) => Read | Promise<Read>) | undefined
  /**
   * The run that records the calls, or a function that names one for each call, such as a job of your own. By default
   * there is one run for each tool and day (UTC).
   */
  readonly run?: string | ((args: Args) => string) | undefined
}

/** Options of one call. */
export interface CallOptions {
  /**
   * Which of several intended repetitions this is, from 1. The same arguments with another number are another act,
   * for example a second charge that the customer has asked for.
   */
  readonly occurrence?: number | undefined
  /** Ends the wait for the outcome. What was begun stays on record, and the next call asks about it. */
  readonly signal?: AbortSignal | undefined
}

/** A tool that acts once for each act that its contract distinguishes. */
export interface Guarded<Args, Output> {
  /** Answers the output of the tool, also of an act that was done before. Throws an error for any other outcome. */
  (args: Args, options?: CallOptions): Promise<Output>
  /** Answers what became of the call, and throws only what is no outcome, such as a store that cannot be opened. */
  readonly outcome: (args: Args, options?: CallOptions) => Promise<Outcome>
  /** The name of the tool in its contract. */
  readonly tool: string
  /** Closes the store. A process that ends need not wait for it. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Guards a function, so that each act is done once. Throws if its contract has a mistake. The output is that of the
 * function, or what `status` or `readback` found, if its own answer was lost.
 */
export const guarded = <Args extends object, Output, Status extends Found = never, Read extends Found = never>(
  execute: (args: Args, context: ToolContext) => Output,
  options: Options<Args, Status, Read>
): Guarded<Args, Told<Output, Status | Read>> => {
  if (typeof execute !== "function" || (options?.contract ?? undefined) === undefined) throw incomplete()
  demand(made, [execute, options])
  const { contract, identityBefore, readback, run, sources, status, ...rest } = options
  const tool = contract.tool || ofFunction(execute, rest)
  const asked = { status: status !== undefined, readback: readback !== undefined }
  const written = PackOf.toolOf(tool, contract, asked)
  const guard: Guard = {
    tool,
    pack: PackOf.make(tool, written.tool, contract),
    schema: written.schema,
    identityBefore,
    executor: BoundTools.executor({ [tool]: { execute, readback, refuses: rest.refuses, sources, status } }),
    runOf: (args, now) => (typeof run === "function" ? run(args as Args) : (run ?? `${nameOf(tool)}-${dayOf(now)}`))
  }
  const session = Session.shared(rest)
  const outcome = async (args: Args, call?: CallOptions): Promise<Outcome> => {
    demand(called, [args, call])
    return attempt(session.get(), guard, args, call ?? {})
  }
  const call = async (args: Args, given?: CallOptions): Promise<Told<Output, Status | Read>> => {
    const found = await outcome(args, given)
    if (found.status !== "done") throw ofOutcome(found, tool)
    return found.output as Told<Output, Status | Read>
  }
  const { close } = session
  return Object.assign(call, { outcome, tool, close, [Symbol.asyncDispose]: close })
}

/** The output of a tool as the record gives it back, or what was found where it was lost. */
type Told<Output, Answer> = Recorded<OutputOf<Awaited<Output>> | OutputFound<Answer>>

const made: Usage = {
  call: "guarded(FUNCTION, { contract, status, store })",
  takes: {
    execute: callable,
    options: object({
      ...SettingsForm.fields,
      ...ToolForm.fields,
      contract: object(),
      run: optional(either(text, callable, "the name of a run, or a function that answers one"))
    })
  }
}

const called: Usage = {
  call: "A guarded tool",
  takes: { args: any, options: optional(object({ signal: optional(abortSignal) })) }
}

const incomplete = (): BackstitchError => {
  const message =
    'guarded takes a function and its contract, such as guarded(chargeCard, { contract: { tool: "charge_card", ' +
    'input: { order: "string" } } })'
  return new BackstitchError({ code: "contract_invalid", message })
}

/**
 * Takes the name of a tool from its function, in a store that ends with the process. Keys of acts have the name, so in
 * a store that stays it has to be given: a function may be renamed, and then its acts would be done again.
 */
const ofFunction = (execute: { readonly name: string }, settings: StoreSettings): string => {
  const name = execute.name.replace(/^bound /, "")
  if (name !== "" && Session.isInMemory(settings)) return name
  const message =
    `Give the tool a name, such as tool: "charge_card" in its contract: the key of each act depends on it, ` +
    "and a renamed or minified function would act again"
  throw new BackstitchError({ code: "contract_invalid", message })
}

/** A guarded tool, without its types. */
interface Guard {
  readonly tool: string
  readonly pack: TaskPack.TaskPack
  readonly schema: StandardSchema | undefined
  readonly executor: ToolExecutor.ToolExecutor["Service"]
  readonly identityBefore: string | undefined
  readonly runOf: (args: object, now: number) => string
}

const attempt = async (session: Session.Session, guard: Guard, given: object, call: CallOptions): Promise<Outcome> => {
  const checked = await CheckedInput.of(guard.schema, given)
  const { occurrence, signal } = call
  const does = Effect.gen(function* () {
    const name = guard.runOf(given, yield* Clock.currentTimeMillis)
    if (checked.problem !== undefined) return CheckedInput.refused(name, checked.problem)
    const proposal = { tool: guard.tool, params: checked.params, ...GuardedCall.counted(occurrence) }
    const at = yield* opened(session, guard, name)
    const { executor, identityBefore } = guard
    return yield* GuardedCall.settle(session, { handle: at, executor, proposal, identityBefore })
  })
  const turn = [guard.tool, checked.params, occurrence ?? 1]
  return session.inTurn(turn, () => session.run(Effect.scoped(does), signal), signal)
}

/** Opens the run of a call. If it is under an earlier contract, the contract of today has a run of its own. */
const opened = (session: Session.Session, { pack, tool }: Guard, name: string) => {
  const opening = { pack, goal: `Calls of ${tool}` }
  return session.runs
    .use(session.name(name), opening)
    .pipe(
      Effect.catchTag("PackChanged", () =>
        session.runs.use(session.name(`${name}-${pack.digest.slice(0, 8)}`), opening)
      )
    )
}

/** The name of a tool as part of the name of a run. */
const nameOf = (tool: string): string => tool.replaceAll(/[^A-Za-z0-9._-]/g, "_").replace(/^[^A-Za-z0-9]+/, "")

const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)
