/** Tries a predicate. */
import * as PackFile from "@backstitch/runtime/PackFile"
import * as Predicates from "@backstitch/runtime/Predicates"
import * as Wording from "@backstitch/wording/Wording"
import * as Effect from "effect/Effect"
import type { Globals } from "../../input/Globals.ts"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
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

const attempt = Effect.fnUntraced(function* (input: Input, globals: Globals) {
  const ids = input.into === undefined || input.sample.length > 0 ? input.sample : [input.into]
  const samples = yield* Effect.forEach(ids, (id) => StoreSession.find(id, globals))
  const pack = input.pack === undefined ? undefined : yield* PackFile.load(input.pack)
  const when = yield* PredicateText.read(input)
  const { tell } = globals.printer
  tell(() => Terminal.print(`${Terminal.bold("TRYING:")} ${input.id} | ${input.when ?? input.function}`))
  return yield* Predicates.register(violationOf(input, when), { samples, pack }).pipe(
    Effect.tapError((error) => Effect.sync(() => tell(() => printRefusal(input.id, error))))
  )
})

const printRefusal = (id: string, error: Effect.Error<ReturnType<typeof Predicates.register>>): void => {
  if (error._tag === "MonotoneUntested") Terminal.print(`${Terminal.wary("UNTESTED:")} ${id} is not registered`)
  if (error._tag !== "NotMonotone") return
  const { recoveredAt, violatedAgainAt, violatedAt } = error
  Terminal.print(`  tick ${violatedAt}  ${Terminal.bad("violation")}`)
  Terminal.print(
    `  tick ${recoveredAt}  ${Terminal.good("ok")}  ← it recovered: a binary search would name the wrong tick`
  )
  if (violatedAgainAt !== undefined) Terminal.print(`  tick ${violatedAgainAt}  ${Terminal.bad("violation")}`)
  Terminal.print(`\n${Terminal.bad("REJECTED:")} ${id} is not monotone`)
}

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
    const trial = yield* attempt(input, globals)
    return Printer.answer({ accepted: true, ...trial }, () => print(trial))
  }).pipe(Effect.provide(StoreSession.reading(globals)))

const committing = (input: Input, into: string, globals: Globals) =>
  Effect.gen(function* () {
    if (input.approvedBy === undefined) {
      return yield* new Usage({
        problem: "A pack in force grows with approval: name who approved it with --approved-by"
      })
    }
    const trial = yield* attempt(input, globals)
    const run = yield* StoreSession.find(into, globals)
    const outcome = yield* Predicates.extend(run, trial, input.approvedBy)
    const isCommitted = outcome._tag === "Done"
    const said = isCommitted
      ? `${Terminal.good("COMMITTED:")} run=${into} | tick=${outcome.tick} | in force from tick ${outcome.tick + 1}`
      : `${Terminal.bad("REFUSED:")} ${Wording.why(outcome)}`
    const document = { accepted: isCommitted, ...trial, into, outcome }
    return Printer.answer(document, () => Terminal.print(said), ExitCode.of(isCommitted))
  }).pipe(Effect.scoped, Effect.provide(StoreSession.writing(globals)))

/** Tries a predicate on samples, and commits it to a run when asked to. */
export const handler: Handler<Input> = (input, globals) =>
  input.into === undefined ? trying(input, globals) : committing(input, input.into, globals)
