/** The airline of the runtime as a host works with it: its agent, and deliveries that it signs. */
import { createHmac } from "node:crypto"
import * as ToolExecutor from "@backstitch/runtime/ToolExecutor"
import * as Airline from "../../runtime/test/airline.ts"
import * as lab from "../../runtime/test/lab.ts"
import * as hall from "./hall.ts"

export const { secret } = Airline

/** The pack of the lab, with a webhook of the airline. */
export const pack = Airline.packOf()

/** A delivery, signed as the airline signs it. */
export const signed = (told: object | string | Buffer, by = secret) => {
  const body = told instanceof Buffer ? told : Buffer.from(typeof told === "string" ? told : JSON.stringify(told))
  return { body, signature: createHmac("sha256", by).update(body).digest("hex") }
}

/** An agent that books and tells, its tools, and the delivery about its booking once it was sent. */
export const make = () => {
  const world = new lab.World()
  const { key, tools } = Airline.losing(world)
  const agent = hall.agent(world, hall.script(lab.book("LX1"), lab.tell("ada")))
  return {
    agents: { travel: { ...agent, pack, executor: ToolExecutor.layerFrom(tools) } },
    tools,
    delivery: () => ({ key: key(), status: "booked", booking: world.answers.get(key()) }),
    effects: (): ReadonlyArray<readonly [string, number]> => [...world.effects]
  }
}
