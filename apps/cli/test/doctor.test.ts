import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { fixture, Shell } from "./shell.ts"

const shell = new Shell()
const recorded4711 = fileURLToPath(new URL("../../../examples/recorded/order-4711", import.meta.url))
afterAll(shell.remove)

interface Message {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: ReadonlyArray<object>
  readonly tool_call_id?: string
}

const call = (id: string, name: string, args: object): Message => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }]
})

const answer = (id: string, content: string): Message => ({ role: "tool", tool_call_id: id, content })

/** Imports a conversation under a name, as another framework would have recorded it. */
const recorded = async (name: string, messages: ReadonlyArray<Message>) => {
  writeFileSync(shell.path(`${name}.jsonl`), `${JSON.stringify({ task_id: name, traj: messages })}\n`)
  const { code, document } = await shell.json(`import ${name}.jsonl --format openai-chat --prefix ${name}-`)
  assert.strictEqual(code, 0)
  return document.runs[0].id as string
}

/** Imports a group chat under a name. */
const chatted = async (name: string, history: ReadonlyArray<object>) => {
  writeFileSync(shell.path(`${name}.json`), JSON.stringify({ question: "a report", history }))
  const { code, document } = await shell.json(`import ${name}.json --format group-chat --prefix ${name}-`)
  assert.strictEqual(code, 0)
  return document.runs[0].id as string
}

const says = (name: string, content: string, to?: string) => ({ name, content, ...(to === undefined ? {} : { to }) })

/** Observations of an operator, as recordings of other frameworks show them, each with the name of the failure. */
const rows: ReadonlyArray<readonly [string, string, () => Promise<string>]> = [
  [
    "the same tool called twenty times, without progress",
    "runaway",
    () => {
      const turn = (index: number) => [call(`c${index}`, "search", { q: "lugano" }), answer(`c${index}`, "[]")]
      return recorded("row-1", Array.from({ length: 20 }, (_, index) => turn(index)).flat())
    }
  ],
  [
    "a worker's result of which the boss has no record",
    "boss death",
    () =>
      chatted("row-2", [
        says("boss", "write chapter 3, on bridges", "ann"),
        says("ann", "twelve pages on stone and steel"),
        says("monitor", "the boss has not been heard of since")
      ])
  ],
  [
    "a wrong end behind stages that were all green",
    "cascading poison",
    () =>
      chatted("row-3", [
        says("finder", "the towns have 4711 people"),
        says("counter", "4711 of them, in all"),
        says("writer", "there are 4711 people")
      ])
  ],
  [
    "a step that does not find what was there when it was planned",
    "stale plan",
    () =>
      recorded("row-4", [
        call("c1", "list_rooms", {}),
        answer("c1", "ROOM-12, ROOM-14"),
        call("c2", "book_room", { room: "ROOM-12" }),
        answer("c2", "Error: ROOM-12 not found")
      ])
  ],
  [
    "rounds at their maximum, and drafts that take turns",
    "deadlock",
    () => {
      const [long, short] = ["a long draft of a report, with every detail of it", "a short draft"]
      const round = (draft: string, critique: string) => [says("writer", draft), says("critic", critique)]
      return chatted("row-5", [
        ...round(long, "too long"),
        ...round(short, "too short"),
        ...round(long, "too long"),
        ...round(short, "too short")
      ])
    }
  ],
  [
    "a user who gets an email twice",
    "an act done twice",
    () => {
      const mail = { to: "anna@example.org", text: "booked" }
      return recorded("row-6", [
        call("c1", "send_email", mail),
        answer("c1", "sent"),
        call("c2", "send_email", mail),
        answer("c2", "sent")
      ])
    }
  ]
]

describe("backstitch doctor", () => {
  it("recognises all that an operator may observe, each with its evidence and first response, and tells several runs in a table", async () => {
    const found: Array<string> = []
    for (const [observed, name, record] of rows) {
      const run = await record()
      const { code, document } = await shell.json(`doctor ${run}${name === "cascading poison" ? " --wrong" : ""}`)
      assert.strictEqual(code, 1, observed)
      assert.strictEqual(document.suspect?.name, name, observed)
      const [evidence] = [...document.cracks.map((crack: { evidence: object }) => crack.evidence), document.doubles[0]]
      assert.isOk(evidence, observed)
      assert.isNotEmpty(document.suspect.response, observed)
      found.push(run)
    }
    const { code, out } = await shell.run(["doctor", ...found])
    assert.strictEqual(code, 1)
    assert.match(out, /^RUN +TICKS +LOOKS LIKE +FOUND +SINCE +FIRST/m)
    assert.match(out, /^DOCTOR: runs=6 \| with a finding=5$/m)
    const all = await shell.json("doctor --all")
    assert.isAtLeast(all.document.runs.length, 6)
    const alone = await shell.run(["doctor", found[5]!])
    assert.match(alone.out, /^DOUBLE: {3}send_email succeeded twice, at tick 2 and at tick 4/m)
    const none = await shell.json("doctor")
    assert.strictEqual(none.code, 2)
    assert.match(JSON.stringify(none.document), /--all diagnoses every run/)
    assert.strictEqual((await shell.json(`doctor ${found[0]} --all`)).code, 2)
  })

  it("names the crack of a foreign run, its evidence and the first response", async () => {
    const messages = Array.from({ length: 21 }, (_, index) => [
      call(`c${index}`, "search", { q: "lugano" }),
      answer(`c${index}`, "[]")
    ]).flat()
    const run = await recorded("loop", messages)
    const { code, out } = await shell.run(["doctor", run])
    assert.strictEqual(code, 1)
    assert.match(out, /^DOCTOR: {3}run=\S+ \| ticks=\d+ \| a ReAct loop: one agent, and its calls$/m)
    assert.match(out, /^CRACK: {4}runaway \| since tick \d+$/m)
    assert.match(out, /call after call of "search" brings nothing new/)
    assert.match(out, /evidence: ticks \d+, \d+, \d+\n {10}first: check the rule by which the loop gives up/)
    const { document } = await shell.json(`doctor ${run}`)
    assert.deepInclude(document.cracks[0], { crack: "runaway", signal: "no_progress", subject: "search" })
  })

  it("names a stale plan, and an act that was repeated without a key", async () => {
    const run = await recorded("ghost", [
      call("c1", "list_rooms", {}),
      answer("c1", "ROOM-12, ROOM-14"),
      call("c2", "book_room", { room: "ROOM-12" }),
      answer("c2", "Error: ROOM-12 not found"),
      call("c3", "send_email", { to: "anna@example.org", text: "booked" }),
      call("c4", "send_email", { to: "anna@example.org", text: "booked" }),
      answer("c4", "sent")
    ])
    const { document } = await shell.json(`doctor ${run}`)
    assert.deepInclude(document.cracks[0], { crack: "stale_plan", subject: "ROOM-12" })
    assert.deepInclude(document.repeats[0], { tool: "send_email", after: "silence" })
    const { out } = await shell.run(["doctor", run])
    assert.match(out, /^REPEAT: .*send_email.*\n {10}first: put a key on the call before it is sent/m)
  })

  it("tells nobody to take a charge back that was declined before it succeeded", async () => {
    const charge = { order: "4711", amount: 1999 }
    const run = await recorded("declined", [
      call("c1", "charge_card", charge),
      answer("c1", '{"error":"card declined"}'),
      call("c2", "charge_card", charge),
      answer("c2", '{"status":"succeeded"}')
    ])
    const { code, out } = await shell.run(["doctor", run])
    assert.strictEqual(code, 0, out)
  })

  it("reads who is asked out of a group chat whose messages begin with names", async () => {
    const asks = (name: string, answered: string) => [
      says("Boss", `${name}: please do your part of the report`),
      says(name, answered)
    ]
    const turns = [...asks("Ann", "twelve pages"), ...asks("Bob", "please do your part of the report")]
    const { document } = await shell.json(`doctor ${await chatted("plain", turns)}`)
    assert.deepInclude(document.suspect, { name: "lost handoff" })
    assert.strictEqual(document.cracks[0].agent, "Bob")
  })

  it("names the predicates that a run has violated, with the command that finds since when", async () => {
    const files = `${recorded4711}.jsonl --format openai-chat --pack ${recorded4711}.yaml`
    const { document: imported } = await shell.json(`import ${files}`)
    const run = imported.runs[0].id as string
    const { code, document } = await shell.json(`doctor ${run}`)
    assert.deepStrictEqual([code, document.isHealthy], [1, false])
    const [{ next, predicate, tick }] = document.violations
    assert.strictEqual(next.command, `backstitch bisect ${run} --predicate ${predicate}`)
    assert.strictEqual((await shell.json(next.command.slice("backstitch ".length))).document.onset, tick)
    const { out } = await shell.run(["doctor", run])
    assert.include(out, `VIOLATED: ${predicate} | it holds since tick ${tick}`)
    assert.include(out, next.command)
    assert.notInclude(out, "HEALTHY")
  })

  it("finds nothing in a healthy run, and refuses a run that is not there", async () => {
    const run = await recorded("fine", [call("c1", "search", { q: 1 }), answer("c1", "found")])
    const { code, out } = await shell.run(["doctor", run])
    assert.strictEqual(code, 0)
    assert.match(out, /^HEALTHY: {2}no crack of any topology/m)
    const wrong = await shell.run(["doctor", run, "--wrong"])
    assert.strictEqual(wrong.code, 1)
    assert.match(wrong.out, /^UNSEEN: {3}the result is wrong/m)
    assert.strictEqual((await shell.json("doctor nobody")).code, 2)
  })
})

describe("backstitch audit", () => {
  it("tells the first crack of a declared topology, and ends with 1 while nothing detects it", async () => {
    const pack = (topology: string) => {
      writeFileSync(shell.path("desk.yaml"), `pack: acme.desk\nversion: 1.0.0\ntopology: ${topology}\n`)
      return shell.run(["audit", "desk.yaml"])
    }
    const off = await pack("debate")
    assert.strictEqual(off.code, 1)
    assert.match(off.out, /^TOPOLOGY: a debate \| first crack=deadlock \| detector=off/)
    assert.match(off.out, /declare topology\.rounds, two or three/)
    const on = await pack("{ kind: debate, rounds: 3, queue: 4 }")
    assert.strictEqual(on.code, 0)
    assert.match(on.out, /not read {4}topology\.queue/)
    const vain = await pack("{ kind: debate, rounds: 1 }")
    assert.match(vain.err, /desk\.yaml:3:[\s\S]*found 1, expected a whole number, 2 or more/)
    assert.match(on.out, /detector=on\n {2}signal {6}the rounds are at their cap/)
    assert.strictEqual((await shell.json(`audit ${fixture("pack.yaml")}`)).document.topology, undefined)
  })
})
