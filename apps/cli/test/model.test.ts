/** A model in the places that the command line has for one: it plans, reads what a user says, and judges acts. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { afterAll, beforeAll } from "vitest"
import * as World from "../../../examples/travel-booking/world/World.ts"
import { type Answer, ModelProcess, type Program } from "../../../packages/adapters/ai-sdk/test/ModelProcess.ts"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell({ apart: true })
let world: World.World
beforeAll(async () => {
  world = await World.start({ settleAfterMillis: 200 })
})
afterAll(async () => {
  await world.close()
  shell.remove()
})

const agent = join(import.meta.dirname, "../../../examples/travel-booking/agent.ts")
const desk = { PARTY_DESK: shell.path("desk.json") }
const key = "the key of a model"

const call = (name: string, given: object): Answer => ({ calls: [{ name, arguments: given }], tokens: 100 })

const seat = { flight: "RH101-2026-12-18", traveller: "Anna Keller", price: 18_400 }
const room = { hotel: "parco", guest: "Anna Keller", from: "2026-12-18", nights: 3, price: 29_400 }

/** A model that books the trip of the example. */
const trip: ReadonlyArray<Answer> = [
  call("search_flights", { from: "Basel", to: "Lugano", date: "2026-12-18" }),
  call("search_hotels", { city: "Lugano", from: "2026-12-18", nights: 3 }),
  call("book_flight", seat),
  call("book_hotel", room),
  call("charge_card", { card: "card-anna", amount: 47_800, currency: "CHF", reference: "trip" }),
  call("send_confirmation", { to: "anna@example.com", template: "trip_confirmed", body: "Booked and paid" }),
  call("complete_goal", { message: "Your trip is booked and paid" })
]

/** Runs a command with a model of this program, and tells what the model was asked. */
const withModel = async (program: Program, args: ReadonlyArray<string>) => {
  const model = await ModelProcess.start(program)
  try {
    const flags = ["--model", "openai-compatible", "--base-url", model.url, "--model-id", "small"]
    const ended = await shell.run([...args, ...flags], { ...desk, WORLD_URL: world.url, BACKSTITCH_MODEL_KEY: key })
    return { ...ended, url: model.url, requests: await model.requests() }
  } finally {
    model.stop()
  }
}

const bookings = async (): Promise<number> => {
  const audit = (await (await fetch(`${world.url}/audit?tables=`)).json()) as { counts: { bookings: number } }
  return audit.counts.bookings
}

/** The tokens that a run has spent, as its transitions say. */
const tokensOf = async (run: string): Promise<number> => {
  const { document } = await shell.json(`show ${run} --fields spent`)
  return document.transitions.reduce(
    (sum: number, { spent }: { readonly spent?: { readonly tokens?: number } | null }) =>
      sum + Number(spent?.tokens ?? 0),
    0
  )
}

describe("backstitch run --model", () => {
  it("lets a model book the trip in place of the script, and counts its tokens", async () => {
    const before = await bookings()
    const { code, err, out, requests, url } = await withModel({ answers: trip }, ["run", "planned", "--agent", agent])
    assert.strictEqual(code, 0, out + err)
    assert.strictEqual(err, "")
    assert.include(out, `MODEL: openai-compatible/small | at ${url}`)
    assert.include(out, "goal.complete")
    assert.strictEqual(await bookings(), before + 1)
    assert.lengthOf(requests, 7)
    assert.strictEqual(requests[0]?.authorization, `Bearer ${key}`)
    assert.include(JSON.stringify(requests[0]?.messages), "Three nights in Lugano")
    assert.strictEqual(await tokensOf("planned"), 700)
    for (const printed of [out, (await shell.run(["export", "planned"])).out]) assert.notInclude(printed, key)
  }, 60_000)

  it("resumes with a model after a kill in mid-call, and books no second seat", async () => {
    const anna = { ...seat, flight: "RH101-2026-12-19" }
    const answers = [call("book_flight", anna), call("complete_goal", { message: "The seat is booked" })]
    const before = await bookings()
    const arm = { tool: "book_flight", kind: "timeout_after_commit" }
    await fetch(`${world.url}/faults`, { method: "POST", body: JSON.stringify(arm) })
    const model = await ModelProcess.start({ answers })
    try {
      const flags = ["--agent", agent, "--model", "openai-compatible", "--base-url", model.url, "--model-id", "small"]
      const env = { WORLD_URL: world.url }
      const { child, ended } = await shell.start(["run", "killed", ...flags], { env })
      while ((await bookings()) === before) await new Promise((resolve) => setTimeout(resolve, 20))
      child.kill("SIGKILL")
      assert.strictEqual((await ended).signal, "SIGKILL")
      const resumed = await shell.run(["resume", "killed", ...flags], env)
      assert.strictEqual(resumed.code, 0, resumed.out + resumed.err)
      assert.strictEqual(await bookings(), before + 1)
      const requests = await model.requests()
      assert.lengthOf(requests, 2, "what was under way is settled by its key, and not asked of the model again")
      assert.include(JSON.stringify(requests[1]?.messages), "Verified: done")
      assert.isNull(requests[0]?.authorization)
    } finally {
      model.stop()
    }
  }, 60_000)

  it("ends with a message if the model cannot be asked, and nothing was begun", async () => {
    const faults = [1, 2, 3].map((request) => ({ request, kind: "401" as const }))
    const { code, err } = await withModel({ answers: trip, faults }, ["run", "refused", "--agent", agent, "--json"])
    assert.strictEqual(code, 1)
    assert.include(err, "openai-compatible.chat/small was refused with status 401 (the fault 401)")
    assert.notMatch(err, /^ +at /m)
    assert.notInclude(err, key)
    const { document } = await shell.json("show refused")
    assert.lengthOf(document.transitions, 1)
  }, 60_000)

  it("says what is missing or wrong of the flags before anything begins", async () => {
    const cases: ReadonlyArray<readonly [ReadonlyArray<string>, string]> = [
      [["--model", "openai-compatible", "--model-id", "m"], "name its address with --base-url URL"],
      [["--model", "openai-compatible", "--base-url", "http://127.0.0.1"], "name the model with --model-id ID"],
      [["--base-url", "http://127.0.0.1"], "--base-url goes with --model"],
      [["--model", "openai-compatible", "--base-url", "127.0.0.1/v1", "--model-id", "m"], "no address of a model"],
      [["--model", "openai-compatible", "--base-url", "http://a:b@c", "--model-id", "m"], "BACKSTITCH_MODEL_KEY"]
    ]
    for (const [flags, says] of cases) {
      const { code, err } = await shell.run(["run", "unfit", "--agent", agent, ...flags])
      assert.strictEqual(code, 2, flags.join(" "))
      assert.include(err, says)
    }
    const alone = ["--model", "openai-compatible", "--base-url", "http://127.0.0.1", "--model-id", "m"]
    assert.include((await shell.run(["resume", "unfit", ...alone])).err, "name the agent with --agent FILE")
  }, 60_000)
})

describe("backstitch inject --model", () => {
  const open = "    assumes: { city: args.city == clause.city, budget: world.spent <= clause.budget }\n"
  const pack = readFileSync(fixture("party.yaml"), "utf8")
  writeFileSync(shell.path("party.yaml"), pack.replace(open, ""))
  copyFileSync(fixture("party.ts"), shell.path("party.ts"))

  const answers: ReadonlyArray<Answer> = [
    { ...call("set_clause", { clause: "city", value: "Basel" }), for: "set_clause" },
    { ...call("judge_acts", { verdicts: [{ action: "a2", answer: "compatible" }] }), for: "judge_acts" }
  ]

  it("turns what the user said into changes, and judges the acts that the contract does not decide", async () => {
    await shell.run(["run", "party", "--agent", shell.path("party.ts")], desk)
    const cautious = await shell.run(["plan", "party", "--set", "city=Basel"])
    assert.match(cautious.out, /undo +a2 +hire/)
    const judged = await withModel({ answers }, ["plan", "party", "--set", "city=Basel"])
    assert.notMatch(judged.out, /undo +a2/)
    assert.include(judged.out, "nothing was recorded")
    assert.lengthOf(judged.requests, 1)
    const words = ["inject", "party", "rather in Basel", "--by", "Ada", "--agent", shell.path("party.ts")]
    const { code, err, out, requests } = await withModel({ answers }, words)
    assert.strictEqual(code, 0, out + err)
    assert.include(out, "REVISION: run=party | set city=Basel")
    assert.deepStrictEqual(JSON.parse(readFileSync(desk.PARTY_DESK, "utf8")).effects, ["hire Casino", "book Trio"])
    assert.include(JSON.stringify(requests[0]?.messages), "rather in Basel")
    assert.include(JSON.stringify(requests.at(-1)?.messages), "Casino")
    const { document } = await shell.json("show party")
    const revised = document.transitions.find(
      (each: { readonly transition_type: string }) => each.transition_type === "revision.injected"
    )
    assert.include(JSON.stringify(revised), "openai-compatible/small")
    assert.strictEqual(await tokensOf("party"), 100 * requests.length)
    assert.strictEqual((await shell.run(["verify", "party", "--redecide"])).code, 0)
  }, 60_000)

  it("records nothing if the model reads no change in the words", async () => {
    const silent = [{ text: "That is no change." }]
    const { code, err } = await withModel({ answers: silent }, ["inject", "party", "hello", "--by", "Ada"])
    assert.strictEqual(code, 2)
    assert.include(err, "read no change of the goal in these words; it said: That is no change.")
  }, 60_000)
})
