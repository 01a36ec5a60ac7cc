import { RunUnknown, TraceStoreError } from "@backstitch/trace/TraceStore"
import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import * as Problem from "../src/form/Problem.ts"
import * as ProblemStatus from "../src/form/ProblemStatus.ts"

describe("Problem", () => {
  it("gives an error of a package the status of the table, with its own words and a type that leads somewhere", () => {
    const problem = Problem.of(new RunUnknown({ run: "trip", similar: [], tenant: "acme" }))
    assert.deepStrictEqual(problem, {
      type: "/problems/RunUnknown",
      status: 404,
      title: ProblemStatus.titles[404],
      detail: 'Tenant acme has no run "trip".',
      tag: "RunUnknown"
    })
  })

  it("says of a store that is locked or full that it may be asked again, and of a damaged one that the server is at fault", () => {
    const failed = (reason: "locked" | "full" | "readonly" | "corrupt") =>
      Problem.of(new TraceStoreError({ operation: "read", reason, store: "x.db", cause: "" })).status
    assert.deepStrictEqual(
      [failed("locked"), failed("full"), failed("readonly"), failed("corrupt")],
      [503, 503, 503, 500]
    )
    const told = Problem.of(new TraceStoreError({ operation: "read", reason: "lost", store: "/srv/x.db", cause: "" }))
    assert.notInclude(told.detail, "/srv/x.db")
  })

  it("has a schema for every status of the table, which its problems fit", () => {
    for (const [tag, status] of Object.entries(ProblemStatus.table)) {
      const fits = Problem.schemas.filter((schema) =>
        Schema.is(schema)(Problem.make(tag, status, { detail: "it is so" }))
      )
      assert.lengthOf(fits, 1, tag)
    }
  })
})
