import type { Model, ModelStatic, WhereOptions } from 'sequelize';

const portion = 500;

/** Deletes rows in portions, so that other writers get their turn in between. Gives how many. */
export async function deletePortions<M extends Model>(model: ModelStatic<M>, where: WhereOptions): Promise<number> {
  let deleted = 0;
  for (;;) {
    const rows = await model.destroy({ where, limit: portion });
    deleted += rows;
    if (rows < portion) return deleted;
  }
}
