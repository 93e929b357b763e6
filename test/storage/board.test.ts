import { createBoard } from '#main/storage/local/board.ts'
import { describeBoard } from './board-contract.ts'

describeBoard('The board of one process', async () => {
  const board = createBoard(error => {
    throw error
  })
  return { handles: [board, board], dispose: async () => {} }
})
