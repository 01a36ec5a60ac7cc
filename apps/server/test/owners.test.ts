/** A server on Postgres, by the rights of the owner of its tables. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Client } from "pg"
import * as Postgres from "../../../tooling/src/postgres.ts"
import * as Errands from "./errands.ts"
import * as Events from "./events.ts"
import { serve } from "./served.ts"

Errands.shop()

describe("an owner of the tables who is no superuser", () => {
  it.live("makes the roles of a server, and may act as them (L15)", () =>
    Effect.gen(function* () {
      // Roles belong to a whole server, and those of the server of the tests were made by its superuser.
      const { url } = yield* Effect.acquireRelease(
        Effect.promise(() => Postgres.start()),
        ({ stop }) => Effect.promise(stop)
      )
      yield* Effect.promise(async () => {
        const client = new Client({ connectionString: url })
        await client.connect()
        await client.query("create role keeper login createrole password 'keeper'")
        await client.query("grant create on database postgres to keeper")
        await client.end()
      })
      const store = Object.assign(new URL(url), { username: "keeper", password: "keeper" }).href
      yield* Effect.gen(function* () {
        const { address, as, key } = yield* serve(store, Errands.agents)
        const operator = yield* key("acme", "operator")
        const begun = yield* as(operator)("/v1/runs", { json: { run: "errand", agent: "errands" } })
        assert.strictEqual(begun.status, 202)
        yield* Events.until(`${address}/v1/runs/errand/events?from=1`, operator, "review.requested")
      }).pipe(Effect.scoped)
    }).pipe(Effect.scoped)
  )
})
