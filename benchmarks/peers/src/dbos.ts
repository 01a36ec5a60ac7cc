/** DBOS Transact: one workflow whose steps answer about six hundred bytes. */
import { DBOS } from "@dbos-inc/dbos-sdk"

const text = "a result of about six hundred bytes, which is what a small tool answers; ".repeat(8)

const looped = async (steps: number): Promise<number> => {
  let count = 0
  for (let index = 0; index < steps; index++) {
    await DBOS.runStep(async () => ({ id: `m${index}`, role: "tool", text }), { name: "step" })
    count++
  }
  return count
}

/** Registered once, although it is launched on several databases, one after another. */
let workflow: typeof looped | undefined

/** Launches DBOS on a separate database; answers a function that runs n steps and answers milliseconds. */
export const open = async (url: string) => {
  DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, enableOTLP: false, logLevel: "error" })
  workflow ??= DBOS.registerWorkflow(looped, { name: "looped" })
  const registered = workflow
  await DBOS.launch()
  return {
    steps: async (id: string, steps: number): Promise<number> => {
      const began = performance.now()
      const handle = await DBOS.startWorkflow(registered, { workflowID: id })(steps)
      const count = await handle.getResult()
      if (count !== steps) throw new Error(`DBOS took ${count} steps and not ${steps}`)
      return performance.now() - began
    },
    close: () => DBOS.shutdown()
  }
}
