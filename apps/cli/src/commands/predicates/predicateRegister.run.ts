/** Tries a predicate. */
import type * as PredicatesApi from "@backstitch/api/PredicatesApi"
import * as BoundPredicates from "@backstitch/runtime/BoundPredicates"
import * as PackFile from "@backstitch/runtime/PackFile"
import type * as Predicates from "@backstitch/runtime/Predicates"
import type * as Registration from "@backstitch/version-control/Registration"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import type { Globals, Server } from "../../input/Globals.ts"
import type { Foreseen, Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as ServerCall from "../../server/ServerCall.ts"
import * as ExitCode from "../../terminal/ExitCode.ts"
import { Usage } from "../../terminal/Failure.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as PredicateText from "./PredicateText.ts"
import type { Input } from "./predicateRegister.ts"

const violationOf = (
  { at, each, id, scope, verifyMonotone }: Input,
  when: string | { readonly function: string }
): Predicates.Violation => ({
  id,
  when,
  ...(scope.length === 0 ? {} : { scope }),
  ...(each === undefined ? {} : { each }),
  ...(at === undefined ? {} : { at }),
  monotone: verifyMonotone ? true : "lift"
})

/** The trial that the flags ask for. */
const asked = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const samples = yield* Effect.forEach(input.sample, (id) => StoreSession.find(id, globals))
  const pack = input.pack === undefined ? undefined : yield* PackFile.load(input.pack)
  const violation = violationOf(input, yield* PredicateText.read(input))
  globals.printer.tell(() =>
    Terminal.print(`${Terminal.bold("TRYING:")} ${input.id} | ${input.when ?? input.function}`)
  )
  return { samples, pack, violation }
})

const refusing =
  ({ id }: Input, { printer }: Globals) =>
  (error: Refusal): Effect.Effect<void> =>
    Effect.sync(() => printer.tell(() => printRefusal(id, error)))

type Refusal = Pick<Foreseen, "_tag">

const printRefusal = (id: string, error: Refusal): void => {
  if (error._tag === "MonotoneUntested") Terminal.print(`${Terminal.wary("UNTESTED:")} ${id} is not registered`)
  if (!isRecovering(error)) return
  const { recoveredAt, violatedAgainAt, violatedAt } = error
  Terminal.print(`  tick ${violatedAt}  ${Terminal.bad("violation")}`)
  Terminal.print(
    `  tick ${recoveredAt}  ${Terminal.good("ok")}  ← it recovered: a binary search would name the wrong tick`
  )
  if (violatedAgainAt !== undefined) Terminal.print(`  tick ${violatedAgainAt}  ${Terminal.bad("violation")}`)
  Terminal.print(`\n${Terminal.bad("REJECTED:")} ${id} is not monotone`)
}

const isRecovering = (error: Refusal): error is Registration.NotMonotone => error._tag === "NotMonotone"

const print = ({ registration, violation }: Predicates.Trial): void => {
  const { as, generated, samples, tested } = registration
  const basis =
    as === "lift"
      ? "as a lift: the kernel keeps the first tick, so it may recover"
      : `as monotone: no recovery in ${tested.length} of ${samples.length} samples in which it held` +
        (generated === undefined ? "" : `, nor in ${generated.tested} of ${generated.traces} variations of them`)
  Terminal.print(`${Terminal.good("ACCEPTED:")} ${basis} | samples=${samples.length}`)
  Terminal.print("\nAdd it to the pack:\n")
  const { id, ...rest } = violation
  const pairs = Object.entries({ id, ...rest }).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  Terminal.lines(`violations:\n  - { ${pairs.join(", ")} }`)
}

const trying = (input: Input, globals: Globals) =>
  Effect.gen(function* () {
    const { violation, ...options } = yield* asked(input, globals)
    const tried = yield* Effect.tapError(BoundPredicates.attempt(violation, options), refusing(input, globals))
    return Printer.answer(tried, () => print(tried))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const told = (added: BoundPredicates.Added): Printer.CommandAnswer => {
  const { accepted, into, outcome } = added
  const said =
    outcome._tag === "Done"
      ? `${Terminal.good("COMMITTED:")} run=${into} | tick=${outcome.tick} | in force from tick ${outcome.tick + 1}`
      : `${Terminal.bad("REFUSED:")} ${Wording.why(outcome)}`
  return Printer.answer(added, () => Terminal.print(said), ExitCode.of(accepted))
}

const approver = ({ approvedBy }: Input): Effect.Effect<string, Usage> =>
  approvedBy === undefined
    ? Effect.fail(
        new Usage({ problem: "A pack in force grows with approval: name who approved it with --approved-by" })
      )
    : Effect.succeed(approvedBy)

const committing = (input: Input, into: string, globals: Globals) =>
  Effect.gen(function* () {
    const approvedBy = yield* approver(input)
    const { violation, ...options } = yield* asked(input, globals)
    const run = yield* StoreSession.find(into, globals)
    const adding = BoundPredicates.add(run, violation, { ...options, approvedBy })
    return told(yield* Effect.tapError(adding, refusing(input, globals)))
  }).pipe(Effect.provide(StoreSession.writing(globals)))

/** It is tried here, too, so that a refusal is told in full; the server tries it again, and commits it. */
const asking = (input: Input, into: string, server: Server, globals: Globals) =>
  Effect.gen(function* () {
    yield* ServerCall.refuse({ "--function": input.function }, "no code is sent to a server")
    yield* ServerCall.refuse({ "--pack": input.pack }, "a server takes no pack from a caller")
    yield* ServerCall.signed(server, yield* approver(input), "--approved-by")
    const { samples, violation } = yield* asked(input, globals)
    const run = yield* StoreSession.find(into, globals)
    const here = BoundPredicates.attempt(violation, { samples: samples.length === 0 ? [run] : samples })
    yield* Effect.tapError(here, refusing(input, globals))
    const payload = { violation: violation as Served, samples: samples.map(({ id }) => id) }
    const params = { run: run.id }
    return told(yield* ServerCall.ask(server, (api) => api.predicates.extend({ params, headers: {}, payload })))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

/** A predicate whose condition is an expression. */
type Served = typeof PredicatesApi.Violation.Type

/** Tries a predicate on samples, and commits it to a run when asked to. */
export const handler: Handler<Input> = (input, globals): ReturnType<Handler<Input>> =>
  input.into === undefined
    ? trying(input, globals)
    : globals.server === undefined
      ? committing(input, input.into, globals)
      : asking(input, input.into, globals.server, globals)
