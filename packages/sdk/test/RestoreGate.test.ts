import { assert, describe, it } from "vitest"
import { definition } from "../../runtime/test/slots.ts"
import { isBackstitchError, obstacles } from "../src/Adapter.ts"
import * as RestoreGate from "../src/adapter/RestoreGate.ts"
import { Backstitch } from "../src/Sdk.ts"

const reserved = new Map<string, object>()
const acts = (status: string) => ({
  execute: ({ slot }: { readonly slot: string }) => {
    reserved.set(slot, { slot, status })
    return { slot, status }
  },
  readback: ({ slot }: { readonly slot: string }) => reserved.get(slot),
  status: ({ slot }: { readonly slot: string }) => reserved.get(slot)
})

const tools = {
  find: ({ slot }: { readonly slot: string }) => ({ at: `monday ${slot}` }),
  draft: () => ({ text: "a form" }),
  render: () => ({ page: "1" }),
  reserve: acts("reserved"),
  release: acts("free")
}

describe("RestoreGate", () => {
  it("names what a restore to a tick would leave behind, and the subtasks that would lose committed work", async () => {
    await using bs = await Backstitch.open({ pack: definition, store: "memory:", tools })
    const run = await bs.run("form-1")
    await run.tool("find", { slot: "0" })
    const found = (await run.state()).tick
    await run.tool("reserve", { slot: "0" })
    const booked = (await run.state()).tick
    await run.tool("draft")
    await run.flush()
    const told = async (asked: RestoreGate.AskedRestore) =>
      (await obstacles(bs, "form-1", asked)).map(({ actions, code, subtasks }) => [
        code,
        ...actions.map(({ tool }) => tool),
        ...subtasks.map(({ subtask }) => subtask)
      ])
    assert.deepStrictEqual(await told({ tick: found }), [
      ["committed_consumers_present", "slot::0::0", "form::null::0"],
      ["irreversible_effect_policy", "reserve"]
    ])
    assert.deepStrictEqual(await told({ tick: booked }), [["committed_consumers_present", "form::null::0"]])
    assert.deepStrictEqual(await told({ tick: booked, subtask: "form::null::0" }), [])
    const unknown = await RestoreGate.obstacles(bs, "form-1", { tick: 1, subtask: "seat" }).catch((cause) => cause)
    assert.isTrue(isBackstitchError(unknown) && unknown.code === "subtask_unknown")
  })
})
