import { assert, describe, it } from "@effect/vitest"
import * as RemovedKeys from "../src/RemovedKeys.ts"

describe("RemovedKeys", () => {
  it("overlap with a key by the whole and by the part, and not by another part", () => {
    const removed = RemovedKeys.make()
    RemovedKeys.add(removed, ['seats["a"]'], "a1")
    assert.isUndefined(RemovedKeys.reach(removed, ['seats["b"]', "menu"]))
    for (const key of ['seats["a"]', "seats"]) {
      assert.deepStrictEqual(RemovedKeys.reach(removed, [key])?.undone, new Map([["a1", [key]]]))
    }
    RemovedKeys.add(removed, ["seats"], "a2")
    assert.deepStrictEqual(RemovedKeys.reach(removed, ['seats["b"]'])?.undone, new Map([["a2", ['seats["b"]']]]))
  })

  it("tell which act takes a value away, and which keys keep their writers", () => {
    const removed = RemovedKeys.make()
    RemovedKeys.add(removed, ["hall", "menu"], undefined)
    RemovedKeys.add(removed, ["hall"], "a2")
    RemovedKeys.add(removed, ["hall"], undefined)
    const reach = RemovedKeys.reach(removed, ["hall", "menu", "other"])
    assert.deepStrictEqual(reach, { undone: new Map([["a2", ["hall"]]]), staying: ["menu"] })
  })
})
