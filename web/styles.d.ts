/** Style sheets are collected by the build; an import only names them. */
declare module '*.css';
