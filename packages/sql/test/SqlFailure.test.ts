import { assert, describe, it } from "@effect/vitest"
import * as SqlFailure from "../src/queries/SqlFailure.ts"

const error = (fields: object) => Object.assign(new Error("what the driver says"), fields)

describe("SqlFailure", () => {
  it("names the reason behind the codes of both drivers", () => {
    const reasons = [
      [{ errcode: 5 }, "locked"],
      [{ errcode: 517 }, "locked"],
      [{ errcode: 6 }, "locked"],
      [{ errcode: 13 }, "full"],
      [{ errcode: 11 }, "corrupt"],
      [{ errcode: 26 }, "corrupt"],
      [{ errcode: 1555 }, "other"],
      [{ errcode: 8 }, "readonly"],
      [{ errcode: 14 }, "readonly"],
      [{ errcode: 778 }, "disk"],
      [{ errcode: 4874 }, "full"],
      [{ code: "EROFS" }, "readonly"],
      [{ code: "ENOTFOUND" }, "lost"],
      [{ code: "ENOENT", syscall: "mkdir" }, "readonly"],
      [{ code: "ENOENT", syscall: "open" }, "missing"],
      [{ code: "ENOTDIR" }, "missing"],
      [{ code: "57P01" }, "lost"],
      [{ code: "08006" }, "lost"],
      [{ code: "08007" }, "lost"],
      [{ code: "08P01" }, "other"],
      [{ code: "25006" }, "readonly"],
      [{ code: "25001" }, "other"],
      [{ code: "25P03" }, "lost"],
      [{ code: "25P04" }, "lost"],
      [{ code: "53200" }, "lost"],
      [{ code: "57P05" }, "lost"],
      [{ code: "58030" }, "disk"],
      [{ code: "57014" }, "other"],
      [{ code: "ECONNREFUSED" }, "lost"],
      [{ code: "40P01" }, "locked"],
      [{ code: "53100" }, "full"],
      [{ code: "53300" }, "lost"],
      [{ code: "XX001" }, "corrupt"],
      [{ code: "23505" }, "other"],
      [{ message: "Connection terminated unexpectedly" }, "lost"],
      [{}, "other"]
    ] as const
    for (const [fields, reason] of reasons) assert.strictEqual(SqlFailure.reasonOf(error(fields)), reason)
    assert.strictEqual(SqlFailure.reasonOf("no error at all"), "other")
  })

  it("tells which table's unique constraint was violated", () => {
    assert.strictEqual(SqlFailure.uniqueViolation(error({ code: "23505", table: "claim" })), "claim")
    assert.isUndefined(SqlFailure.uniqueViolation(error({ code: "23503", table: "claim" })))
    assert.isTrue(SqlFailure.isTransient(error({ code: "40P01" })))
    assert.isFalse(SqlFailure.isTransient(error({ code: "23505" })))
  })

  it("names the failure, its place, and whether a repetition helps", () => {
    const failure = SqlFailure.make({
      operation: "append",
      store: "traces.db",
      run: "trip-42",
      cause: error({ errcode: 5 })
    })
    assert.include(failure, { operation: "append", reason: "locked", run: "trip-42", isRetryable: true })
    assert.match(failure.message, /^Could not append to run trip-42 of traces\.db: another process/)
    const demoted = { operation: "append", store: "postgres://host/db", cause: error({ code: "25006" }) } as const
    assert.match(SqlFailure.make(demoted).message, /takes no writes \(what the driver says\)\. Name the primary server/)
    assert.strictEqual(SqlFailure.make({ operation: "read", store: "other.db", cause: failure }), failure)
    assert.match(
      SqlFailure.make({ operation: "open", store: "x", cause: error({}) }).message,
      /^Could not open x: what the/
    )
  })
})
