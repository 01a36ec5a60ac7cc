import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolContract from "@backstitch/contracts/ToolContract"
import type { Json } from "@backstitch/trace/Canonical"
import type { Transition } from "@backstitch/trace/Transition"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Limits from "../src/Limits.ts"
import * as Doubles from "../src/repeats/Doubles.ts"

interface CallFacts {
  readonly key?: string
  readonly output?: Json
  readonly status?: "error" | "ok"
  readonly undoes?: string
}

/** A trace of calls, each with its recorded answer. */
class Tape {
  readonly transitions: Array<Transition> = []

  call(id: string, tool: string, params: Json, more: CallFacts = {}) {
    const { key, output = "done", status = "ok", undoes } = more
    const action = { id, tool, params, ...(undoes === undefined ? {} : { undoes }) }
    this.add({ type: "action.request", author: "agent", action })
    if (key !== undefined) this.add({ type: "action.started", author: "kernel", action: { id, tool } }, key)
    return this.add({
      type: "action.result",
      author: "kernel",
      action: { id, tool },
      result: { basis: "recorded", status, output }
    })
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

/** An answer that lies so many levels deep. */
const nested = (levels: number): Json => (levels === 0 ? { status: "done" } : { result: nested(levels - 1) })

const mail = { to: "anna@example.org", text: "booked" }

describe("Doubles", () => {
  it("read an answer down to a level, and take what lies deeper for no success", () => {
    const doubledAt = (levels: number) =>
      new Tape()
        .call("a", "send_email", mail, { output: nested(levels) })
        .call("b", "send_email", mail, { output: nested(levels) })
        .found().length
    const { answerLevelsMax } = Limits.pacing
    assert.deepStrictEqual([doubledAt(answerLevelsMax - 1), doubledAt(answerLevelsMax + 1)], [1, 0])
  })

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

  it("are none where an answer is an error, a refusal or undecided, in text or in fields", () => {
    const refused: ReadonlyArray<Json> = [
      { error: "card declined" },
      { status: "error", message: "full" },
      { ok: false, reason: "full" },
      { success: false },
      { status: 422, detail: "bad" },
      { status: "pending" },
      { isError: true, content: "x" },
      { content: [{ type: "text", text: '{"sent":false}' }] },
      { status: "requires_action", id: "pi_1" },
      { payment_id: "p1", payment_status: "payment_failed" },
      { status: "ok", declined: true },
      { id: "m1", isPending: true },
      { lastError: "mailbox full", id: "m1" },
      { id: "m1", sent: false },
      { id: "m1", accepted: false },
      "To complete the order, please log in",
      "The payment has to be approved",
      "not_sent",
      "declined",
      "HTTP 500",
      "500 Internal Server Error",
      "Permission denied",
      "error: mailbox full",
      "Failed to send: mailbox full",
      "Not sent: missing field body",
      "queued: false",
      "already sent",
      "payment unsuccessful",
      "what nobody foresaw",
      "",
      null
    ]
    for (const output of refused.flatMap((each) => [each, JSON.stringify(each)])) {
      const first = new Tape().call("a", "send_email", mail, { output }).call("b", "send_email", mail)
      assert.deepStrictEqual(first.found(), [], `${JSON.stringify(output)} first`)
      const second = new Tape().call("a", "send_email", mail).call("b", "send_email", mail, { output })
      assert.deepStrictEqual(second.found(), [], `${JSON.stringify(output)} second`)
    }
    const succeeded: ReadonlyArray<Json> = [
      "sent",
      "Email sent to Anna, without errors.",
      "HTTP 201",
      { status: "succeeded", error: null, errors: [], pending: false },
      { isSent: true },
      { status: 200 },
      { booking: { ref: "A" } },
      { content: [{ type: "text", text: '{"sent":true}' }] }
    ]
    for (const output of succeeded.flatMap((each) => [each, JSON.stringify(each)])) {
      const tape = new Tape().call("a", "send_email", mail, { output }).call("b", "send_email", mail)
      assert.strictEqual(tape.found().length, 1, JSON.stringify(output))
    }
  })

  it("survive an answer that is nested deeper than anybody reads", () => {
    const output = `${"[".repeat(5000)}${"]".repeat(5000)}`
    const tape = new Tape().call("a", "send_email", mail, { output }).call("b", "send_email", mail, { output })
    assert.deepStrictEqual(tape.found(), [])
  })

  it("know a key among the arguments, and an act that both answers give one name", () => {
    const charged = (keys: readonly [string, string], ids: readonly [string, string]) => {
      const [one, other] = keys.map((key) => ({ order: "4711", ...(key === "" ? {} : { idempotency_key: key }) }))
      return new Tape()
        .call("a", "charge_card", one!, { output: { status: "succeeded", id: ids[0], order_id: "4711" } })
        .call("b", "charge_card", other!, { output: { status: "succeeded", id: ids[1], order_id: "4711" } })
        .found()
    }
    assert.deepStrictEqual(charged(["k1", "k1"], ["ch_1", "ch_1"]), [])
    assert.deepStrictEqual(charged(["k1", "k2"], ["ch_1", "ch_2"]), [["a", "b", "arguments", "two"]])
    assert.deepStrictEqual(charged(["", ""], ["ch_1", "ch_2"]), [["a", "b", "arguments", "none"]])
    assert.deepStrictEqual(charged(["", ""], ["ch_1", "ch_1"]), [])
  })

  it("are two although both answers name one customer, one account or one thread", () => {
    for (const party of ["customer_id", "accountId", "thread_id", "user-ref", "walletId"]) {
      const output = { status: "succeeded", [party]: "c1" }
      const tape = new Tape().call("a", "charge_card", mail, { output }).call("b", "charge_card", mail, { output })
      assert.strictEqual(tape.found().length, 1, party)
      const named = { ...output, charge_id: "ch_1" }
      const once = new Tape().call("a", "charge_card", mail, { output: named })
      assert.deepStrictEqual(once.call("b", "charge_card", mail, { output: named }).found(), [], party)
    }
  })

  it("are none of tools whose names do not say that they act on somebody", () => {
    const others = ["search", "get_order_details", "list_emails", "read_file", "status", "edit", "create_file"]
    for (const tool of [
      ...others,
      "order_status",
      "transfer_history",
      "update_payment",
      "send_keys",
      "stripe.get_charge",
      "deploy",
      "delete_file"
    ]) {
      assert.deepStrictEqual(new Tape().call("a", tool, mail).call("b", tool, mail).found(), [], tool)
    }
    const acting = [
      "charge_card",
      "createPayment",
      "book-flight",
      "pay",
      "place_order",
      "transfer.money",
      "bank.transfer"
    ]
    const said = ["publish", "publish_post", "cms.publish", "tweet"]
    const money = ["send_money", "wire_money", "bank_transfer", "issue_refund", "refund", "execute_trade", "twilio_sms"]
    for (const tool of [...acting, ...said, ...money, "mcp__stripe__create_charge", "stripe.charges.create"]) {
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
