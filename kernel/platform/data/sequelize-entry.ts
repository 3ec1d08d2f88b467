/** The content of `sequelize.cjs`: the parts of Sequelize that the data layer uses, in one file. */
export { DataTypes, Sequelize, Transaction } from 'sequelize';
