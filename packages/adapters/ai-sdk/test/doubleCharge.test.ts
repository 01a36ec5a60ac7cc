/** The story of the double charge: a tool commits and does not answer, and the agent is killed and started again. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import { ModelProcess } from "./ModelProcess.ts"

const order = { card: "card-anna", amount: 1999, currency: "CHF", reference: "order-4711" }
const program = { answers: [{ calls: [{ name: "charge_card", arguments: order }] }, { text: "Paid." }] }

/** Starts the world of the travel example, whose card processor has a database of its own. */
const startWorld = async () => {
  const main = join(import.meta.dirname, "../../../../examples/travel-booking/world/main.ts")
  const args = [main, "--until-stdin-ends", "--settle-after", "100"]
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] })
  const [line] = await once(createInterface({ input: child.stdout }), "line")
  const { url } = JSON.parse(String(line)) as { readonly url: string }
  return { url, stop: () => child.stdin.end() }
}

/** Plays the story, and counts the charges in the database of the payment provider. */
const play = async (how: "bare" | "guarded" | "run") => {
  const folder = mkdtempSync(join(tmpdir(), "backstitch-charge-"))
  const [world, model] = await Promise.all([startWorld(), ModelProcess.start(program)])
  const charges = async (): Promise<number> => {
    const audit = (await (await fetch(`${world.url}/audit?tables=`)).json()) as { counts: { charges: number } }
    return audit.counts.charges
  }
  const start = () => {
    const args = [join(import.meta.dirname, "chargeAgent.ts"), how, model.url, world.url, folder]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
    let said = ""
    child.stdout.on("data", (chunk) => (said += String(chunk)))
    const ended = once(child, "exit").then(([code, signal]) => ({ code, signal, said }))
    return { child, ended }
  }
  try {
    const fault = { tool: "charge_card", kind: "timeout_after_commit" }
    await fetch(`${world.url}/faults`, { method: "POST", body: JSON.stringify(fault) })
    const first = start()
    while ((await charges()) === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    first.child.kill("SIGKILL")
    assert.strictEqual((await first.ended).signal, "SIGKILL")
    const { code, said } = await start().ended
    assert.deepStrictEqual([code, said], [0, "Paid."])
    return { charges: await charges(), requests: await model.requests() }
  } finally {
    model.stop()
    world.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

describe("a charge whose answer is lost, by an agent that is killed and started again", () => {
  it("is made twice by the AI SDK alone: the provider's own database has two", async () => {
    assert.strictEqual((await play("bare")).charges, 2)
  })

  it("is made once with one guarded tool", async () => {
    const { charges, requests } = await play("guarded")
    assert.strictEqual(charges, 1)
    const result = requests.at(-1)?.messages.find(({ role }) => role === "tool")
    assert.include(String(result?.content), '"status":"done"')
  })

  it("is made once with a run, and the call that the crash left in the messages has its result", async () => {
    const { charges, requests } = await play("run")
    assert.strictEqual(charges, 1)
    assert.lengthOf(requests, 2, "the model is not asked for the call again")
    const result = requests[1]?.messages.find(({ role }) => role === "tool")
    assert.include(String(result?.content), '"status":"done"')
  })
})
