import { TaskPack, ToolContract, Yaml } from "@backstitch/contracts"
import * as Connection from "@backstitch/mcp/Connection"
import * as ContractFile from "@backstitch/mcp/ContractFile"
import * as DraftPack from "@backstitch/mcp/DraftPack"
import * as StdioServer from "@backstitch/mcp/StdioServer"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { commandOf, Harness } from "./harness.ts"

const read = ({ mapping, pack }: DraftPack.DraftedFiles) => {
  const drafted = Result.getOrThrow(Yaml.fromYaml(pack, { file: "draft.yaml" }))
  return Result.getOrThrow(ContractFile.of(drafted, { file: "draft.mcp.yaml", text: mapping }))
}

describe("DraftPack", () => {
  for (const name of ["everything", "filesystem", "memory"] as const) {
    it(`drafts the tools of server-${name}, of which each asks a person`, async () => {
      const harness = new Harness()
      const server = await StdioServer.start(commandOf(name, harness.folder))
      const connection = await Connection.open(server)
      const tools = await connection.tools()
      const draft = DraftPack.make(connection.server, tools.values())
      await server.stop()
      const { mapping, pack } = read(draft)
      assert.deepStrictEqual(Object.keys(pack.tools).sort(), [...tools.keys()].sort())
      for (const tool of tools.keys()) {
        assert.deepStrictEqual(TaskPack.approvalOf(pack, tool)?.by, ["operator"])
        assert.isDefined(mapping.tools[tool]?.reviewed)
      }
      const reads = Object.values(pack.tools).filter((each) => !ToolContract.isMutating(each))
      assert.isAbove(reads.length, 0)
      const others = Object.values(pack.tools).filter(ToolContract.isMutating)
      assert.isTrue(others.every(({ idempotency }) => idempotency === "effectful"))
      harness.remove()
    })
  }

  it("leaves out a tool that a pack cannot declare, and quotes names that YAML would read otherwise", () => {
    const schema = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } } })
    const draft = DraftPack.make({}, [
      { name: "on", inputSchema: schema("y") },
      { name: "a.b/c", description: 'says "x"\n# and more', inputSchema: schema("no") },
      { name: "odd", inputSchema: schema("with-hyphen") }
    ])
    assert.deepStrictEqual(draft.left, [{ tool: "odd", why: 'a pack has no name for its argument "with-hyphen"' }])
    assert.deepStrictEqual(Object.keys(read(draft).pack.tools), ["a.b/c", "on"].sort())
  })

  it("drafts a server without tools", () => {
    assert.deepStrictEqual(read(DraftPack.make({}, [])).pack.tools, {})
  })

  it("writes over nothing", async () => {
    const harness = new Harness()
    const draft = DraftPack.make({}, [])
    const write = Effect.runPromiseExit(ContractFile.write(harness.path("shop.yaml"), draft))
    assert.strictEqual((await write)._tag, "Success")
    const again = await Effect.runPromise(Effect.flip(ContractFile.write(harness.path("shop.yaml"), draft)))
    assert.include(again.message, "is there already, and is kept")
    harness.remove()
  })
})
