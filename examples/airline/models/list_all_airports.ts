/** Names the city of each airport. */
import type { Answer } from "../World.ts"

export default (): Answer => ({
  output: {
    SFO: "San Francisco",
    JFK: "New York",
    LAX: "Los Angeles",
    ORD: "Chicago",
    DFW: "Dallas",
    DEN: "Denver",
    SEA: "Seattle",
    ATL: "Atlanta",
    MIA: "Miami",
    BOS: "Boston",
    PHX: "Phoenix",
    IAH: "Houston",
    LAS: "Las Vegas",
    MCO: "Orlando",
    EWR: "Newark",
    CLT: "Charlotte",
    MSP: "Minneapolis",
    DTW: "Detroit",
    PHL: "Philadelphia",
    LGA: "LaGuardia"
  }
})
