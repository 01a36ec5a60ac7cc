/** An airline whose answer gets lost, that cannot be asked, and that sends a delivery later. */
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as Result from "effect/Result"
import type * as ToolExecutor from "../src/ports/ToolExecutor.ts"
import * as lab from "./lab.ts"

export const secret = "a secret of the airline"

/** The pack of the lab, with a webhook of the airline, and more of the contract of a booking. */
export const packOf = (more: object = {}) =>
  Result.getOrThrow(
    TaskPack.make({
      ...(lab.definition as Definition),
      tools: {
        ...lab.definition.tools,
        book: {
          ...lab.definition.tools.book,
          webhook: {
            secret: "AIRLINE_SECRET",
            tolerance: "none",
            key: "body.key",
            done: "body.status == 'booked'",
            output: "body.booking"
          },
          ...more
        }
      }
    } as Definition)
  )

/** The tools of a world in which a booking is made, and nobody hears of it. `key` is the one that was sent last. */
export const losing = (world: lab.World) => {
  const { book } = world.tools
  let key = ""
  const tools: ToolExecutor.Tools = {
    ...world.tools,
    book: {
      ...book!,
      execute: (params: never, context) => {
        key = context.key ?? ""
        world.faults.push("lost")
        return book!.execute(params, context)
      },
      status: async () => {
        throw new Error("busy")
      }
    }
  }
  return { key: () => key, tools }
}
