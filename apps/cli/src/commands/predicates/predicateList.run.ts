/** Lists predicates. */
import * as BoundPredicates from "@backstitch/runtime/BoundPredicates"
import * as Effect from "effect/Effect"
import type { Handler } from "../../program/Handler.ts"
import * as StoreSession from "../../program/StoreSession.ts"
import * as Printer from "../../terminal/Printer.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import * as TextTable from "../../terminal/TextTable.ts"
import type { Input } from "./predicateList.ts"

/** Lists the predicates that are in force in a run. */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const run = yield* StoreSession.find(input.run, globals)
    const bound = yield* BoundPredicates.of(run)
    return Printer.answer(bound, () => {
      const { builtIn, predicates } = bound
      if (predicates.length === 0) Terminal.print(`No predicate of a pack binds run ${run.id}`)
      const rows = predicates.map(({ failedAt, id, monotone, reads, scope, violatedAt }) => [
        id,
        monotone,
        violatedAt === null ? Terminal.good("never") : Terminal.bad(`tick ${violatedAt}`),
        failedAt === null ? "" : Terminal.wary(`could not be evaluated at tick ${failedAt}`),
        [...scope, ...reads].join(" ")
      ])
      const header = ["PREDICATE", "KIND", "FIRST HELD", "DOUBT", "SCOPE, READS"]
      TextTable.print(rows, { header })
      const meanings = builtIn.map(({ id, meaning }) => [id, meaning])
      Terminal.print()
      TextTable.print(meanings, { header: ["BUILT IN", "SATISFIED WHILE"] })
    })
  }).pipe(Effect.provide(StoreSession.reading(globals)))
