import { join } from "node:path"
import * as Effect from "effect/Effect"
import { assert, describe, it, vi } from "vitest"
import manifest from "../package.json" with { type: "json" }
import type * as Tool from "../src/contract/Tool.ts"
import type * as ToolContract from "../src/contract/ToolContract.ts"
import * as Limits from "../src/Limits.ts"
import type * as Person from "../src/run/Person.ts"
import type * as Revision from "../src/run/Revision.ts"
import type * as Views from "../src/run/Views.ts"
import * as Sdk from "../src/Sdk.ts"
import * as Session from "../src/session/Session.ts"
import type { StoreSettings } from "../src/session/StoreSettings.ts"
import type * as Json from "../src/values/Json.ts"
import type * as NextStep from "../src/values/NextStep.ts"
import { version } from "../src/values/Version.ts"
import { freshFolder } from "./freshFolder.ts"

describe("Sdk", () => {
  it("exports what an agent needs, and nothing of another package", () => {
    assert.deepStrictEqual(Object.keys(Sdk).sort(), [
      "Accepted",
      "ApprovalRequired",
      "Backstitch",
      "BackstitchError",
      "CallFailed",
      "CallRefused",
      "OutcomeUnknown",
      "ToolRefused",
      "guarded"
    ])
  })
})

describe("Version", () => {
  it("is that of the package", () => {
    assert.strictEqual(version, `${manifest.name} ${manifest.version}`)
  })
})

describe("the types", () => {
  it("fit the values that users write and read", () => {
    const contract: ToolContract.ToolContract = { input: { order: "string" }, identity: { order: "code" } }
    const tool: Tool.Tool<{ order: string }> = { execute: ({ order }, { key }) => `${order}${key}` }
    const next: NextStep.NextStep = { verb: "wait", say: "wait" }
    const decision: Views.Decision = { ok: true, run: "job-1", why: "", next: [next] }
    const revision: Revision.Revision = { changes: [{ change: "withdraw", clause: "max_total" }], by: "Ada" }
    const settlement: Person.Settlement = { as: "success", by: "Ada", evidence: "seen" }
    assert.deepStrictEqual([revision.by, settlement.by], ["Ada", "Ada"])
    const json: Json.Json = { list: [1, "a", null, true], absent: undefined }
    assert.deepStrictEqual(
      [contract.tool, tool.status, decision.ok, typeof json],
      [undefined, undefined, true, "object"]
    )
  })
})

describe("Session", () => {
  it("is shared by callers with the same settings, and closed by the last of them", async () => {
    const settings: StoreSettings = { store: join(freshFolder(), "trace.db"), secret: "s" }
    const [one, other] = [Session.shared(settings), Session.shared(settings)]
    assert.strictEqual(one.get(), other.get())
    await one.close()
    assert.strictEqual(other.get().name("job-1").id, "job-1")
    await other.close()
  })

  it("is not shared if its store is in memory, however the store is named", () => {
    const apart = (settings: StoreSettings) => {
      const [one, other] = [Session.shared(settings), Session.shared(settings)]
      assert.notStrictEqual(one.get(), other.get())
      assert.strictEqual(one.get(), one.get())
    }
    apart({ store: "memory:" })
    apart({ store: ":memory:" })
    vi.stubEnv("BACKSTITCH_STORE", "memory:")
    try {
      apart({})
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it("is closed even if a run is not given back, and fails only then", async () => {
    const session = Session.open({ store: "memory:" })
    const given: Array<string> = []
    session.opened.add(() => Promise.reject(new Error("not given back")))
    session.opened.add(async () => {
      given.push("the other")
    })
    const failed = await session.close().catch(String)
    assert.deepStrictEqual([failed, given], ["Error: not given back", ["the other"]])
    await session.ended
    const cause = await session.run(Effect.void).catch((cause: unknown) => cause)
    assert.isTrue(cause instanceof Sdk.BackstitchError && cause.code === "closed")
  })

  it("refuses a store on a server without a secret, and says where to give it", async () => {
    const cause = await Sdk.Backstitch.open({ store: "postgres://nobody@127.0.0.1:1/none" }).catch(
      (cause: unknown) => cause
    )
    assert.isTrue(cause instanceof Sdk.BackstitchError && cause.code === "secret_missing")
  })

  it("keeps runs open for the next call, and closes those that nobody uses", async () => {
    await using charge = Sdk.guarded(async (args: { order: string }) => args, {
      contract: { tool: "charge", input: { order: "string" } },
      store: "memory:",
      run: ({ order }) => `job-${order}`
    })
    for (let order = 0; order < Limits.pacing.openRunsMax + 3; order++) await charge({ order: String(order) })
    assert.deepStrictEqual(await charge({ order: "0" }), { order: "0" })
  })
})
