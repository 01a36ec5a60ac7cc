import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { fixture, Shell, source } from "./shell.ts"

const shell = new Shell({ apart: true })
afterAll(shell.remove)

/** Begins a run of the reading agent, kills it within an order, has a program resume it, and reads its end. */
const read = async (store: string, main?: string, file = "reader.ts") => {
  const say = (line: string, env: Record<string, string> = {}) =>
    shell.run([...line.split(" "), "--store", `${store}.db`], { ...env, SHOP: shell.path(`${store}.json`) }, main)
  const agent = fixture(file)
  const killed = await say(`run trip --agent ${agent}`, { DIE_IN: "bread" })
  assert.strictEqual(killed.signal, "SIGKILL", killed.out + killed.err)
  const resumed = await say(`resume trip --agent ${agent}`)
  assert.match(resumed.out, /^FAILED/m, resumed.err)
  const [header = "", ...lines] = (await say("export trip")).out.trim().split("\n")
  const transitions = lines.map((line) => JSON.parse(line)).filter(({ tick }) => tick !== undefined)
  return {
    bodies: transitions.map(({ body }) => body as string),
    onset: JSON.parse((await say("bisect trip --predicate overspent --json")).out).onset,
    story: JSON.parse(header).head.story,
    verified: JSON.parse((await say("verify trip --redecide --json")).out)
  }
}

describe("a program that is bundled, beside the packages of its agent", () => {
  it("shows the agent the state that the sources show it, and comes to the same trace", async () => {
    const [bundled, sources] = [await read("bundled"), await read("sources", source)]
    assert.deepStrictEqual(bundled.bodies, sources.bodies)
    assert.deepStrictEqual([bundled.story, bundled.onset], [sources.story, sources.onset])
    assert.isNumber(bundled.onset)
    assert.isTrue(bundled.verified.consistent)
    assert.deepStrictEqual(bundled.verified.redecided.differs, [])
    const text = bundled.bodies.join("\n")
    assert.include(text, '"code":"sold_out"')
    assert.include(text, '"table":{"bread":{"item":"bread","price":50}')
    assert.notInclude(text, '"tree"')
  })

  it("takes refusals and answers of the SDK for what they are, which has copies of its own", async () => {
    const [own, sdk] = [await read("own"), await read("sdk", undefined, "sdkReader.ts")]
    assert.deepStrictEqual(sdk.bodies, own.bodies)
    assert.strictEqual(sdk.story, own.story)
  })
})
