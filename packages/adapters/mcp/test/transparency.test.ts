/**
 * A client observes the same of a server with the proxy and without it, if contracts allow everything. Each script is
 * played twice, by the official client, against servers of npm.
 */
import * as DraftPack from "@backstitch/mcp/DraftPack"
import * as StdioServer from "@backstitch/mcp/StdioServer"
import { assert, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  EmptyResultSchema,
  ListRootsRequestSchema,
  type Tool
} from "@modelcontextprotocol/sdk/types.js"
import * as z from "zod"
import { commandOf, Harness, StreamTransport } from "./harness.ts"

type Script = (client: Client, rootsAsked: Promise<void>) => Promise<void>

const capabilities = { elicitation: {}, roots: { listChanged: true }, sampling: {} }

/** Answers the requests of the server, and tells when it has asked for the roots, which it does by itself. */
const answering = (client: Client): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const text = { type: "text" as const, text: "sampled" }
  client.setRequestHandler(CreateMessageRequestSchema, () => ({ model: "none", role: "assistant", content: text }))
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" }))
  client.setRequestHandler(ListRootsRequestSchema, () => {
    resolve()
    return { roots: [{ uri: "file:///root", name: "root" }] }
  })
  return promise
}

/** A failure of one step is observed like any other answer. */
const tried = async (step: Promise<unknown>): Promise<void> => {
  await step.catch(() => {})
}

const everything: Script = async (client, rootsAsked) => {
  await rootsAsked
  await client.listTools()
  await client.listResources()
  await client.listResourceTemplates()
  await client.listPrompts()
  await client.ping()
  await client.setLoggingLevel("error")
  await tried(client.getPrompt({ name: "simple-prompt" }))
  await tried(client.getPrompt({ name: "args-prompt", arguments: { city: "Lugano" } }))
  await tried(
    client.complete({
      ref: { type: "ref/prompt", name: "completable-prompt" },
      argument: { name: "department", value: "E" }
    })
  )
  const { resources } = await client.listResources()
  await tried(client.readResource({ uri: resources[0]!.uri }))
  await tried(client.subscribeResource({ uri: resources[0]!.uri }))
  await tried(client.unsubscribeResource({ uri: resources[0]!.uri }))
  const call = (name: string, given: object = {}, options?: Parameters<Client["callTool"]>[2]) =>
    tried(client.callTool({ name, arguments: { ...given } }, undefined, options))
  await call("echo", { message: "a line\u2028and another" })
  await call("echo", { message: 7 })
  await call("get-sum", { a: 1, b: 2 })
  await call("get-structured-content", { location: "Chicago" })
  await call("get-tiny-image")
  await call("get-annotated-message", { messageType: "error", includeImage: true })
  await call("get-resource-links", { count: 2 })
  await call("trigger-long-running-operation", { duration: 0.2, steps: 4 }, { onprogress: () => {} })
  await call("trigger-sampling-request", { prompt: "Say hello", maxTokens: 10 })
  await call("trigger-elicitation-request")
  await call("get-roots-list")
  await call("simulate-research-query", { topic: "seams" })
  await call("there-is-no-such-tool")
  await tried(client.request({ method: "there/is/none", params: { a: 1 } }, z.any()))
  await tried(client.request({ method: "resources/list", params: { cursor: "nowhere" } }, EmptyResultSchema))
}

const filesystem =
  (folder: string): Script =>
  async (client) => {
    const call = (name: string, given: object) => tried(client.callTool({ name, arguments: { ...given } }))
    await client.listTools()
    await call("list_allowed_directories", {})
    await call("write_file", { path: `${folder}/a.txt`, content: "one\ntwo\n" })
    await call("edit_file", { path: `${folder}/a.txt`, edits: [{ oldText: "two", newText: "three" }] })
    await call("read_text_file", { path: `${folder}/a.txt` })
    await call("write_file", { path: `${folder}/a.txt`, content: "one\ntwo\n" })
    await call("read_text_file", { path: `${folder}/a.txt` })
    await call("write_file", { path: "/nowhere/b.txt", content: "" })
    await call("move_file", { source: `${folder}/a.txt`, destination: `${folder}/b.txt` })
    await call("move_file", { source: `${folder}/a.txt`, destination: `${folder}/b.txt` })
    await call("read_text_file", { path: `${folder}/a.txt` })
  }

const memory: Script = async (client) => {
  const call = (name: string, given: object) => tried(client.callTool({ name, arguments: { ...given } }))
  await client.listTools()
  await call("create_entities", { entities: [{ name: "Ada", entityType: "person", observations: ["counts"] }] })
  await call("add_observations", { observations: [{ entityName: "Ada", contents: ["writes"] }] })
  await call("add_observations", { observations: [{ entityName: "nobody", contents: [] }] })
  await call("read_graph", {})
  await call("delete_entities", { entityNames: ["Ada"] })
  await call("read_graph", {})
}

/** A draft without its approvals, in which people vouch that an error of a tool means that nothing happened. */
const allowing = (tools: ReadonlyArray<Tool>) => {
  const draft = DraftPack.make({}, tools as never)
  return {
    pack: `${draft.pack.slice(0, draft.pack.indexOf("\n# Take a line out"))}\n  there-is-no-such-tool: { class: read_only, input: {} }\n`,
    mapping: draft.mapping.replace(/^( {4})reviewed:/gm, "$1errors: refused\n$1reviewed:")
  }
}

/** The observations of a client: answers in their order, and the messages of each method of the server in theirs. */
const observed = ({ received, unread }: StreamTransport, folder: string) => {
  const plain = JSON.parse(
    JSON.stringify(received)
      .replaceAll(folder, "FOLDER")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d{1,2}:\d\d:\d\d(?: [AP]M)?/g, "TIME")
  ) as ReadonlyArray<{ readonly method?: string; readonly id?: unknown }>
  const methods = [...new Set(plain.flatMap(({ method }) => method ?? []))].sort()
  return {
    answers: plain.filter(({ method }) => method === undefined),
    others: methods.map((method) => plain.flatMap(({ id: _, ...each }) => (each.method === method ? [each] : []))),
    unread
  }
}

const bare = async (name: keyof typeof scripts, folder: string) => {
  const server = await StdioServer.start(commandOf(name, folder))
  const transport = new StreamTransport(server.child.stdout as never, server.child.stdin as never)
  const { capabilities, script } = scripts[name]
  const client = new Client({ name: "editor", version: "1.0.0" }, { capabilities })
  const rootsAsked = "roots" in capabilities ? answering(client) : Promise.resolve()
  await client.connect(transport)
  await script(folder)(client, rootsAsked)
  const { tools } = await client.listTools()
  await server.stop()
  return { tools, transport }
}

/** A server of files that is given roots forgets its own folder, at a time that nobody knows. */
const scripts = {
  everything: { capabilities, script: () => everything },
  filesystem: { capabilities: {}, script: filesystem },
  memory: { capabilities: {}, script: () => memory }
}

describe("a server behind the proxy", () => {
  for (const name of ["everything", "filesystem", "memory"] as const) {
    it(`is observed as server-${name} is without it`, async () => {
      const [one, two] = [new Harness(), new Harness()]
      const alone = await bare(name, one.folder)
      const { mapping, pack } = allowing(alone.tools)
      const { capabilities, script } = scripts[name]
      let rootsAsked = Promise.resolve()
      const behind = await two.start({
        ...{ pack, mapping, command: commandOf(name, two.folder), capabilities },
        client: (each) => {
          if ("roots" in capabilities) rootsAsked = answering(each)
        }
      })
      await script(two.folder)(behind.client, rootsAsked)
      await behind.client.listTools()
      await behind.client.close()
      const { run } = await behind.ended
      assert.deepStrictEqual(observed(behind.transport, two.folder), observed(alone.transport, one.folder))
      const types = (await two.transitions(run)).map(({ body }) => body.type)
      assert.include(types, name === "everything" ? "run.started" : "action.started")
      one.remove()
      two.remove()
    })
  }
})
