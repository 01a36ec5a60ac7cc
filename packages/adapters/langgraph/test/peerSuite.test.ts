/** The suite of the peer for checkpointers, on every store; `BACKSTITCH_TEST_POSTGRES` is one of them. */
import { Backstitch } from "@backstitch/sdk"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@effect/vitest"
import { BackstitchSaver } from "../src/checkpointer/BackstitchSaver.ts"
import { checkpoints } from "../src/checkpointer/checkpointTypes.ts"
import { folder, stores, tenant } from "./places.ts"

// The suite finds the functions of its test runner as globals.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it })
const { deltaChannelHistoryTests, specTest } = await import("@langchain/langgraph-checkpoint-validation")

for (const [name, address] of Object.entries(stores)) {
  const ends = new Map<BackstitchSaver, () => Promise<void>>()
  const initializer = {
    checkpointerName: `@backstitch/langgraph on ${name}`,
    createCheckpointer: async () => {
      const own = folder()
      const backstitch = await Backstitch.open({
        store: address(own.path),
        tenant: tenant(),
        secret: "the secret of the suite",
        types: [checkpoints]
      })
      const saver = new BackstitchSaver(backstitch)
      ends.set(saver, async () => {
        await backstitch.close()
        own[Symbol.dispose]()
      })
      return saver
    },
    destroyCheckpointer: async (saver: BackstitchSaver) => ends.get(saver)?.()
  }
  specTest(initializer)
  deltaChannelHistoryTests(initializer)
}
