/**
 * Lists predicates.
 *
 * @since 0.1.0
 */
import * as Predicates from "@backstitch/runtime/Predicates"
import * as BuiltIn from "@backstitch/version-control/BuiltIn"
import * as Effect from "effect/Effect"
import type { Input } from "../commands/predicateList.ts"
import * as Grid from "../Grid.ts"
import type { Handler } from "../Handler.ts"
import * as Session from "../Session.ts"
import * as Terminal from "../Terminal.ts"

/**
 * Lists the predicates that bind a run.
 *
 * @category handlers
 * @since 0.1.0
 */
export const handler: Handler<Input> = (input, globals) =>
  Effect.gen(function* () {
    const run = yield* Session.find(input.run, globals)
    const predicates = yield* Predicates.list(run)
    const builtIn = BuiltIn.all.map(({ id, meaning }) => ({ id, meaning }))
    if (globals.json) Terminal.document({ run: run.id, predicates, builtIn })
    else {
      if (predicates.length === 0) Terminal.print(`No predicate of a contract binds run ${run.id}`)
      const rows = predicates.map(({ failedAt, id, monotone, reads, scope, violatedAt }) => [
        id,
        monotone,
        violatedAt === null ? Terminal.good("never") : Terminal.bad(`tick ${violatedAt}`),
        failedAt === null ? "" : Terminal.wary(`could not be evaluated at tick ${failedAt}`),
        [...scope, ...reads].join(" ")
      ])
      const header = ["PREDICATE", "KIND", "FIRST HELD", "DOUBT", "SCOPE, READS"]
      Grid.print(rows, { header })
      const meanings = builtIn.map(({ id, meaning }) => [id, meaning])
      Terminal.print()
      Grid.print(meanings, { header: ["BUILT IN", "SATISFIED WHILE"] })
    }
    return 0
  }).pipe(Effect.provide(Session.reading(globals)))
