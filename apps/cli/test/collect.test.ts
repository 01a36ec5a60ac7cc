/** The collector as a process, which is killed while spans come, and is sent them again. */
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { Shell } from "./shell.ts"

const shell = new Shell()
afterAll(shell.remove)

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"

/** The span of a charge, which timed out or was answered. */
const charge = (id: number, answer: string | undefined) => {
  const attributes = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "charge_card",
    "gen_ai.tool.call.id": `c${id}`,
    "gen_ai.tool.call.arguments": '{"order":"4711"}',
    ...(answer === undefined ? {} : { "gen_ai.tool.call.result": answer })
  }
  return {
    traceId: trace,
    spanId: String(id).padStart(16, "0"),
    startTimeUnixNano: `17000000000${id}0000000`,
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    ...(answer === undefined ? { status: { code: 2, message: "timed out" } } : {})
  }
}

/** Starts the collector, and answers once it listens. */
const collecting = async (port: string) => {
  const { child, ended } = await shell.start(["collect", "--port", port, "--store", "seen.db"])
  const address = await new Promise<string>((resolve, reject) => {
    let said = ""
    child.once("exit", () => reject(new Error(`it has ended: ${said}`)))
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString()
      const found = /http:\/\/127\.0\.0\.1:\d+\/v1\/traces/.exec(said)?.[0]
      if (found !== undefined) resolve(found)
    })
  })
  return { address, child, ended }
}

const send = (address: string, ...spans: ReadonlyArray<object>) =>
  fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
  })

describe("backstitch collect", () => {
  it("doubles nothing if it is killed while spans come, and names the repeated act", async () => {
    const first = await collecting("0")
    assert.strictEqual((await send(first.address, charge(1, undefined))).status, 200)
    const cut = send(first.address, charge(2, "charged")).catch(() => undefined)
    first.child.kill("SIGKILL")
    await once(first.child, "close")
    await cut
    const again = await collecting(new URL(first.address).port)
    const response = await send(again.address, charge(2, "charged"), charge(1, undefined), { traceId: "x" })
    assert.deepStrictEqual([response.status, await response.text()], [200, "{}"])
    assert.strictEqual((await fetch(again.address)).status, 405)
    again.child.kill("SIGTERM")
    const { code, err, out } = await again.ended
    assert.strictEqual(code, 0, err)
    assert.include(out, "taken=2 | ignored=1 | refused=0 | requestsRefused=1")
    const { document } = await shell.json(`show trace-${trace} --store seen.db`)
    assert.deepStrictEqual(
      document.transitions.map(({ transition_type: type }: { transition_type: string }) => type),
      ["run.started", "action.request", "action.result", "action.request", "action.result"]
    )
    const report = await shell.json("report trace-4bf --store seen.db")
    assert.deepStrictEqual(
      report.document.repeats.map(({ say }: { say: string }) => say),
      ["charge_card: same tool, same arguments, after a time-out or a lost connection: tick 2 and tick 4"]
    )
    assert.strictEqual((await shell.json(`verify trace-${trace} --store seen.db`)).code, 0)
  }, 120_000)

  it("says which port it cannot listen on", async () => {
    const { address, child, ended } = await collecting("0")
    const { port } = new URL(address)
    const { code, err } = await shell.run(["collect", "--port", port, "--store", "seen.db"])
    assert.strictEqual(code, 1)
    assert.include(err, `Port ${port} of 127.0.0.1 cannot be listened on`)
    child.kill("SIGTERM")
    await ended
  }, 120_000)
})
