import os
import sqlite3

inputs = os.environ
os.makedirs(inputs["folder"], exist_ok=True)
file = os.path.join(inputs["folder"], "guests.db")
with sqlite3.connect(file) as connection:
    connection.execute("create table if not exists guests (name text)")
    connection.execute("insert into guests values ('Ada')")
with open(inputs["SABIR_OUTPUTS"], "w") as outputs:
    print(f"file={file}", file=outputs)
