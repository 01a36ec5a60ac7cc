import * as Path from "node:path"
import { assert, describe, it } from "vitest"
import {
  ApprovalRequired,
  Backstitch,
  BackstitchError,
  CallFailed,
  CallRefused,
  type GuardOptions,
  guarded,
  OutcomeUnknown,
  type ToolContext,
  ToolRefused
} from "../src/Sdk.ts"
import { freshFolder } from "./freshFolder.ts"

interface Charge {
  readonly order: string
  readonly amount: number
}

/** The name of a store in a folder of its own. */
const fresh = (): string => Path.join(freshFolder(), "trace.db")

/** A provider that honours keys, and answers as a test demands. */
const provider = () => {
  const charges = new Map<string, Charge>()
  const own = { charges, sent: 0, answers: (): void => {} }
  const chargeCard = async (args: Charge, { key }: ToolContext) => {
    own.sent++
    charges.set(key, args)
    own.answers()
    return { receipt: `r${own.sent}`, ...args }
  }
  const status = (_: Charge, { key }: ToolContext) => {
    const found = charges.get(key)
    return found === undefined ? null : { receipt: "by status", ...found }
  }
  return Object.assign(own, { chargeCard, status })
}

const input = { order: "string", amount: "int" }
const contract = { tool: "chargeCard", input, identity: ["order"] }

const thrown = async (does: Promise<unknown>): Promise<BackstitchError> => {
  try {
    await does
  } catch (cause) {
    assert.instanceOf(cause, BackstitchError)
    return cause
  }
  return assert.fail("nothing was thrown")
}

describe("Guarded", () => {
  it("answers the output of the tool, and of an act that was done before", async () => {
    const bank = provider()
    await using charge = guarded(bank.chargeCard, { contract, store: "memory:", status: bank.status })
    const first = await charge({ order: "4711", amount: 1999 })
    assert.deepStrictEqual(first, { receipt: "r1", order: "4711", amount: 1999 })
    assert.deepStrictEqual(await charge({ order: "4711", amount: 1999 }), first)
    const outcome = await charge.outcome({ order: "4711", amount: 1999 })
    assert.isTrue(outcome.status === "done" && outcome.before && outcome.action === "a2")
    assert.deepStrictEqual([bank.sent, charge.tool], [1, "chargeCard"])
  })

  it("asks what happened before it sends again, and answers what the status says", async () => {
    const bank = provider()
    bank.answers = () => {
      throw new Error("no answer")
    }
    await using charge = guarded(bank.chargeCard, { contract, store: "memory:", status: bank.status })
    const outcome = await charge.outcome({ order: "4711", amount: 1999 })
    assert.isTrue(outcome.status === "done" && !outcome.verified && outcome.basis === "status")
    assert.deepStrictEqual([bank.sent, bank.charges.size], [1, 1])
  })

  it("recognises an act across processes, runs and contracts that say the same of it", async () => {
    const store = fresh()
    const bank = provider()
    const options = { store, status: bank.status }
    for (const more of [{}, { run: "job-1" }, { contract: { ...contract, description: "charges a card" } }]) {
      await using charge = guarded(bank.chargeCard, { contract, ...options, ...more })
      assert.strictEqual((await charge({ order: "4711", amount: 1999 })).receipt, "r1")
    }
    assert.strictEqual(bank.sent, 1)
  })

  it("does an act once more only as a counted occurrence, and refuses other arguments under one identity", async () => {
    const bank = provider()
    await using charge = guarded(bank.chargeCard, { contract, store: "memory:", status: bank.status })
    await charge({ order: "4711", amount: 1999 })
    assert.strictEqual((await charge({ order: "4711", amount: 1999 }, { occurrence: 2 })).receipt, "r2")
    const refused = await thrown(charge({ order: "4711", amount: 5 }))
    assert.instanceOf(refused, CallRefused)
    assert.deepStrictEqual([bank.sent, refused.next[0]?.verb], [2, "propose"])
    assert.match(refused.message, /the same call with \{ occurrence: 2 \}.*or ask for one more of it/)
  })

  it("sends an act once that several callers want at one moment", async () => {
    const bank = provider()
    await using charge = guarded(bank.chargeCard, { contract, store: "memory:", status: bank.status })
    const all = await Promise.all([1, 2, 3, 4].map(() => charge({ order: "4711", amount: 1999 })))
    assert.deepStrictEqual([new Set(all.map(({ receipt }) => receipt)).size, bank.sent], [1, 1])
  })

  it("holds a call with a lost answer that nobody can be asked about, until a person resolves it", async () => {
    const store = fresh()
    const bank = provider()
    bank.answers = () => {
      throw new Error("no answer")
    }
    await using charge = guarded(bank.chargeCard, { contract, store, run: "job-1" })
    for (const _ of [1, 2]) {
      const held = await thrown(charge({ order: "4711", amount: 1999 }))
      assert.isTrue(held instanceof OutcomeUnknown && held.outcome.status === "held")
      assert.deepStrictEqual([held.code, held.run, held.action], ["outcome_unknown", "job-1", "a2"])
      assert.include(held.message, 'bs.resolve("job-1", "a2", { as: "success", by, evidence, record })')
    }
    assert.strictEqual(bank.sent, 1)
    await using bs = await Backstitch.open({ store })
    const [first] = await bs.held()
    assert.deepStrictEqual([first?.run, first?.action, first?.tool], ["job-1", "a2", "chargeCard"])
    const record = { receipt: "on paper" }
    const decided = await bs.resolve("job-1", "a2", { as: "success", by: "Ada", evidence: "read on paper", record })
    assert.isTrue(decided.ok, decided.why)
    const after = await charge.outcome({ order: "4711", amount: 1999 })
    assert.isTrue(after.status === "done" && after.basis === "attested" && !after.verified)
    assert.strictEqual(bank.sent, 1)
  })

  it("tells of an act that a person gave up that it may have happened", async () => {
    const store = fresh()
    const bank = provider()
    bank.answers = () => {
      throw new Error("no answer")
    }
    await using charge = guarded(bank.chargeCard, { contract, store, run: "job-1" })
    await thrown(charge({ order: "4711", amount: 1999 }))
    await using bs = await Backstitch.open({ store })
    await bs.resolve("job-1", "a2", { as: "abandoned", by: "Ada", evidence: "nobody can tell" })
    const failed = await thrown(charge({ order: "4711", amount: 1999 }))
    assert.isTrue(failed instanceof CallFailed && failed.outcome.effect === "unknown")
    assert.match(failed.message, /^chargeCard may have been done, or not: a person gave it up.*nobody can tell/)
    assert.deepStrictEqual([bank.charges.size, bank.sent], [1, 1])
  })

  it("answers an act of another run as one that was done before", async () => {
    for (const question of ["none", "readback", "status"]) {
      const bank = provider()
      let day = 1
      const asked = question === "none" ? {} : { [question]: bank.status }
      await using charge = guarded(bank.chargeCard, { contract, store: fresh(), run: () => `day-${day}`, ...asked })
      const first = await charge({ order: "4711", amount: 1999 })
      day = 2
      for (const round of [1, 2]) {
        const again = await charge.outcome({ order: "4711", amount: 1999 })
        assert.deepInclude(
          again,
          { status: "done", before: true, run: "day-2", action: "a2", output: first },
          `${round}`
        )
        assert.notInclude(again, { basis: "committed" })
      }
      assert.strictEqual(bank.sent, 1)
    }
  })

  it("has a run of its own beside one of the same name that is under the contract of another tool", async () => {
    const store = fresh()
    const acts = async (args: { order: string }) => args
    const of = (tool: string) => guarded(acts, { contract: { tool, input: { order: "string" } }, store, run: "job-1" })
    await using charge = of("charge")
    await using ship = of("ship")
    const order = { order: "4711" }
    const [first, second, again] = [await charge.outcome(order), await ship.outcome(order), await ship.outcome(order)]
    assert.strictEqual(first.run, "job-1")
    assert.match(second.run, /^job-1-[0-9a-f]{8}$/)
    assert.deepInclude(again, { status: "done", before: true, run: second.run })
  })

  it("binds an approval to its arguments", async () => {
    const store = fresh()
    const bank = provider()
    const approval = { when: "args.amount > 5000", by: ["manager"], expires: "1h" }
    await using charge = guarded(bank.chargeCard, {
      contract: { tool: "chargeCard", input, approval },
      store,
      run: "job-1",
      status: bank.status
    })
    const waits = await thrown(charge({ order: "4711", amount: 9000 }))
    assert.isTrue(waits instanceof ApprovalRequired && waits.needs.includes("manager"))
    await using bs = await Backstitch.open({ store })
    const [asked] = await bs.approvals()
    assert.deepStrictEqual(asked?.args, { order: "4711", amount: 9000 })
    const decided = await bs.approve("job-1", asked?.review ?? "", { by: "Grace", role: "manager" })
    assert.isTrue(decided.ok, decided.why)
    assert.instanceOf(await thrown(charge({ order: "4711", amount: 9001 })), ApprovalRequired)
    assert.strictEqual(bank.sent, 0)
    assert.strictEqual((await charge({ order: "4711", amount: 9000 })).amount, 9000)
    assert.strictEqual(bank.sent, 1)
    const { review } = (await thrown(charge({ order: "4712", amount: 9000 }))) as ApprovalRequired
    await bs.deny("job-1", review, { by: "Grace", role: "manager", reason: "too much" })
    const denied = await thrown(charge({ order: "4712", amount: 9000 }))
    assert.isTrue(denied instanceof CallRefused && bank.sent === 1)
    assert.deepStrictEqual(
      denied.next.flatMap(({ call }) => call ?? []),
      ["the same call with { occurrence: 2 }, or the next number"]
    )
  })

  it("tells a refusal of the tool from an error, by its class or by what the caller knows", async () => {
    const bank = provider()
    const decline = (cause: Error, more: Partial<GuardOptions<Charge>> = {}) => {
      bank.answers = () => {
        bank.charges.clear()
        throw cause
      }
      return guarded(bank.chargeCard, { contract, store: "memory:", status: bank.status, ...more })
    }
    const refused = await thrown(decline(new ToolRefused({ code: "card_declined" }))({ order: "1", amount: 1 }))
    assert.isTrue(refused instanceof CallFailed)
    assert.deepStrictEqual((refused as CallFailed).detail, { code: "card_declined" })
    const refuses = (cause: unknown) => cause instanceof TypeError
    const known = await thrown(decline(new TypeError("no such card"), { refuses })({ order: "2", amount: 1 }))
    assert.deepStrictEqual((known as CallFailed).detail, "no such card")
  })

  it("names every mistake of a contract, and asks for what it needs", () => {
    const bank = provider()
    const wrong = { ...contract, input: { order: "strin", amount: "int" }, identity: ["orders"], clas: "none" }
    assert.throws(
      () => guarded(bank.chargeCard, { contract: wrong }),
      /3 things are wrong in the contract of chargeCard.*mean string.*mean class.*the field orders/s
    )
    assert.throws(
      () => guarded(bank.chargeCard, { contract: { tool: "chargeCard" } }),
      /does not say which arguments the tool takes/
    )
  })

  it("demands a name where the record outlives the code, and a function for what the contract promises", () => {
    const bank = provider()
    const unnamed = { contract: { input }, store: fresh() }
    assert.throws(() => guarded(bank.chargeCard, unnamed), /name.*a renamed or minified function would act again/)
    assert.throws(() => guarded(async (_: Charge) => 1, { ...unnamed, store: "memory:" }), /Give the tool a name/)
    assert.strictEqual(guarded(bank.chargeCard, { ...unnamed, store: "memory:" }).tool, "chargeCard")
    for (const more of [{ status: "by_key" }, { readback: { expect: ["actual != null"] } }]) {
      assert.throws(() => guarded(bank.chargeCard, { contract: { ...contract, ...more } }), /there is no function/)
    }
  })

  it("says in words that a success without a readback was verified by nobody", async () => {
    const store = fresh()
    const bank = provider()
    await using charge = guarded(bank.chargeCard, { contract, store, run: "job-1" })
    const outcome = await charge.outcome({ order: "4711", amount: 1999 })
    assert.isTrue(outcome.status === "done" && outcome.basis === "answer" && !outcome.verified)
  })
})
