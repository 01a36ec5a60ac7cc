/** An airline whose answer gets lost, that cannot be asked, and that sends a delivery later. */
import { createHmac } from "node:crypto"
import type { Definition } from "@backstitch/contracts/Definition"
import * as TaskPack from "@backstitch/contracts/TaskPack"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Result from "effect/Result"
import * as lab from "../../runtime/test/lab.ts"
import * as hall from "./hall.ts"

export const secret = "a secret of the airline"

/** The pack of the lab, with a webhook of the airline. */
export const pack = Result.getOrThrow(
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
        }
      }
    }
  } as Definition)
)

/** A delivery, signed as the airline signs it. */
export const signed = (told: object | string, by = secret) => {
  const body = Buffer.from(typeof told === "string" ? told : JSON.stringify(told))
  return { body, signature: createHmac("sha256", by).update(body).digest("hex") }
}

/** An agent that books and tells, its tools, and the delivery about its booking once it was sent. */
export const make = () => {
  const world = new lab.World()
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
  const agent = hall.agent(world, hall.script(lab.book("LX1"), lab.tell("ada")))
  return {
    agents: { travel: { ...agent, pack, executor: ToolExecutor.layerFrom(tools) } },
    tools,
    delivery: () => ({ key, status: "booked", booking: world.answers.get(key) }),
    effects: (): ReadonlyArray<readonly [string, number]> => [...world.effects]
  }
}
