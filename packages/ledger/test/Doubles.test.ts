import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Json } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Doubles from "../src/history/Doubles.ts"

/** A trace of calls, each with its answer. */
class Tape {
  readonly transitions: Array<Transition> = []

  call(id: string, tool: string, params: Json, more: { key?: string; status?: "error" | "ok"; undoes?: string } = {}) {
    const { key, status = "ok", undoes } = more
    const action = { id, tool, params, ...(undoes === undefined ? {} : { undoes }) }
    this.add({ type: "action.request", author: "agent", action })
    if (key !== undefined) this.add({ type: "action.started", author: "kernel", action: { id, tool } }, key)
    return this.add({ type: "action.result", author: "kernel", action: { id, tool }, result: { status, output: "x" } })
  }

  found(contractOf = ToolContract.unknown) {
    return Doubles.of(this.transitions, contractOf).map(({ action, basis, keys, of }) => [
      of.action,
      action,
      basis,
      keys
    ])
  }

  private add(body: Transition["body"], key?: string): this {
    const stamp = { asOf: 0, ...(key === undefined ? {} : { key }) }
    this.transitions.push({ tick: this.transitions.length + 1, body, stamp, envelope: { ts: 0 } })
    return this
  }
}

const mail = { to: "anna@example.org", text: "booked" }

describe("Doubles", () => {
  it("are two successes of one act without a key, or under two, and none under one", () => {
    const foreign = new Tape().call("a", "send_email", mail).call("b", "send_email", mail)
    assert.deepStrictEqual(foreign.found(), [["a", "b", "arguments", "none"]])
    const two = new Tape().call("a", "sendEmail", mail, { key: "k1" }).call("b", "sendEmail", mail, { key: "k2" })
    assert.deepStrictEqual(two.found(), [["a", "b", "arguments", "two"]])
    const one = new Tape().call("a", "sendEmail", mail, { key: "k1" }).call("b", "sendEmail", mail, { key: "k1" })
    assert.deepStrictEqual(one.found(), [])
  })

  it("are none where a call failed, was undone, or was taken back in between", () => {
    const failed = new Tape().call("a", "send_email", mail, { status: "error" }).call("b", "send_email", mail)
    assert.deepStrictEqual(failed.found(), [])
    const undone = new Tape()
      .call("a", "book_room", { room: 1 })
      .call("u", "release", { room: 1 }, { undoes: "a" })
      .call("b", "book_room", { room: 1 })
    assert.deepStrictEqual(undone.found(), [])
    const cancelled = new Tape()
      .call("a", "book_room", { room: 1 })
      .call("c", "cancelBooking", { room: 1 })
      .call("b", "book_room", { room: 1 })
    assert.deepStrictEqual(cancelled.found(), [])
  })

  it("are none of tools whose names do not say that they act on somebody", () => {
    for (const tool of ["search", "get_order_details", "list_emails", "read_file", "status", "edit", "create_file"]) {
      assert.deepStrictEqual(new Tape().call("a", tool, mail).call("b", tool, mail).found(), [], tool)
    }
    for (const tool of ["charge_card", "createPayment", "book-flight", "pay", "place_order", "transfer.money"]) {
      assert.strictEqual(new Tape().call("a", tool, mail).call("b", tool, mail).found().length, 1, tool)
    }
  })

  it("are told by the identity of a contract, whatever the name of the tool and the other arguments", () => {
    const pack = Result.getOrThrow(
      TaskPack.make({
        pack: "acme.desk",
        version: "1.0.0",
        tools: {
          note: {
            class: "medium_risk_write",
            input: { order: "string", text: "string" },
            identity: { scope: "goal", fields: [{ order: "exact" }] }
          },
          look: { class: "read_only", input: { order: "string" } }
        }
      })
    )
    const contractOf = (tool: string) => TaskPack.tool(pack, tool)
    const tape = new Tape()
      .call("a", "note", { order: "1", text: "one" })
      .call("b", "note", { order: "1", text: "other" })
      .call("c", "note", { order: "2", text: "one" })
      .call("d", "look", { order: "1" })
      .call("e", "look", { order: "1" })
    assert.deepStrictEqual(tape.found(contractOf), [["a", "b", "identity", "none"]])
  })
})
