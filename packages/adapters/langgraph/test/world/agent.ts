/**
 * An agent in a process of its own, which charges one order and ends.
 *
 * Words: the folder, the address of the store and a tenant of it, the address of the service, the saver (`peer` or
 * `own`), the tool (`plain` or `contracted`), and `begin` or `resume`, which is the framework's own means: the same
 * thread, without an input.
 */
import { join } from "node:path"
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite"
import { BackstitchSaver } from "../../src/checkpointer/BackstitchSaver.ts"
import { contracted } from "../../src/tools/ContractedTool.ts"
import * as Bank from "./bank.ts"

const [folder = "", store = "", tenant = "", url = "", saver, kind, how] = process.argv.slice(2)
const backstitch = await Bank.open(store, url, tenant)
const checkpointer =
  saver === "own" ? new BackstitchSaver(backstitch) : SqliteSaver.fromConnString(join(folder, "checkpoints.db"))
const chargeCard = kind === "plain" ? Bank.plain(url, 60_000) : contracted(backstitch, Bank.shown)
const graph = Bank.graphOf(chargeCard as ReturnType<typeof Bank.plain>, checkpointer, [
  [{ id: "call-1", order: "4711", amount: 1999 }]
])
const config = { configurable: { thread_id: "order-4711" } }
const { messages } = await graph.invoke(how === "begin" ? Bank.asked : null, config)
process.stdout.write(messages.at(-1)?.text ?? "")
await backstitch.close()
process.exit(0)
